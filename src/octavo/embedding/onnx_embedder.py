"""Any model in a local folder, run by onnxruntime: the bundled one, or one a person brings.

Numpy, onnxruntime and the tokenizer are imported for the first text: a search by words alone asks for no more than the
model's profile.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from octavo.algorithms.model_inputs.question_mark_completion import with_question_mark
from octavo.algorithms.model_inputs.vocabulary_coverage_of_text import Readability, TaughtScripts
from octavo.embedding.huggingface_tokenizer import load_tokenizer, without_surrogates
from octavo.embedding.model_folder import ModelDirectory, read_directory
from octavo.embedding.onnxruntime_loading import available_cores, model_session, plan
from octavo.embedding.token_counters import any_counter_of, counter_of, readability_of
from octavo.errors import ModelUnavailable, ProviderFailed
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.execution_provider import CPU, ExecutionProvider
from octavo.ports import TokenCounter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

REMEDY = "check embedding.model: the folder must hold model.json, model.onnx and the tokenizer's files"

BATCH_TOKENS, BATCH_TEXTS = 4096, 64
_QUERIES = 256  # query vectors remembered: paging, refining and repeating a search embed nothing

Encoder = Callable[[str], list[int]]


class _Loaded(NamedTuple):
    session: Any
    inputs: frozenset[str]
    encode: Encoder


class _Promise(Protocol):
    """What becomes of a batch, whenever it is asked for."""

    def result(self) -> NDArray[np.float32]: ...


class _Done:
    """A batch that is computed on the spot: one text is not worth a thread."""

    def __init__(self, run: Callable[..., NDArray[np.float32]], *given: object) -> None:
        self._vectors = run(*given)

    def result(self) -> NDArray[np.float32]:
        return self._vectors


class OnnxEmbedder:
    """Fits `ports.Embedder`. May be used from several threads at once; a text longer than the window is cut there.

    A graph that takes padding gets batches, one after the other, and spreads each over the cores. One that does not
    gets its texts one by one, each on one core and several at a time: a vector then depends on its text alone, so the
    same text gives the same bytes in any company, and no work is spent on padding or on waiting for other cores.
    A passage that the model cannot read gets a vector of zeros, which is near nothing.
    """

    def __init__(
        self,
        folder: Path,
        *,
        threads: int | None = None,
        providers: Sequence[ExecutionProvider] = CPU,
        remedy: str = REMEDY,
    ) -> None:
        self.directory = read_directory(folder, remedy)
        self._threads = threads
        self._providers = providers
        self._loaded: _Loaded | None = None
        self._loading = Lock()
        self.remembered_queries: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._remembering = Lock()

    @property
    def profile(self) -> EmbeddingProfile:
        return self.directory.profile

    @property
    def folder(self) -> Path:
        return self.directory.path

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(texts) == 1:
            return self._begin_passages(texts, _Done)()
        with self.ahead() as begin:
            return begin(texts)()

    def embed_query(self, text: str) -> NDArray[np.float32]:
        text = with_question_mark(text)
        with self._remembering:
            if (known := self.remembered_queries.get(text)) is not None:
                self.remembered_queries.move_to_end(text)
                return known
        vector: NDArray[np.float32] = self._begin([self.profile.query_prefix + text], _Done)()[0]
        vector.flags.writeable = False
        with self._remembering:
            self.remembered_queries[text] = vector
            if len(self.remembered_queries) > _QUERIES:
                self.remembered_queries.popitem(last=False)
        return vector

    def readability(self, text: str) -> float:
        return self._readability.of(text)

    def fluency(self, text: str) -> float:
        return self._readability.fluency(text)

    @cached_property
    def _readability(self) -> Readability | TaughtScripts:
        return readability_of(self.directory)

    def verify(self) -> tuple[str, ...]:
        """What is wrong with the model's files, in sentences, by their sha256; empty when nothing is."""
        return self.directory.damage()

    @contextmanager
    def ahead(self) -> Iterator[Callable[[Sequence[str]], Callable[[], NDArray[np.float32]]]]:
        """Begins texts, and goes on computing while whoever began them does something else; their vectors on demand.

        Texts that follow are tokenised meanwhile and no core waits for the last of those before. When the block is
        left, what was not begun never is: an interrupt waits for the texts under way and no others.
        """
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(1 if self.directory.padding else self.cores(), thread_name_prefix="octavo-embed")
        try:
            yield lambda texts: self._begin_passages(texts, pool.submit)
        finally:
            pool.shutdown(cancel_futures=True)

    def _begin_passages(
        self, texts: Sequence[str], submit: Callable[..., _Promise]
    ) -> Callable[[], NDArray[np.float32]]:
        prefix = self.profile.document_prefix
        unread = frozenset(self._readability.unreadable(texts))
        return self._begin([prefix + text for text in texts], submit, unread)

    def _begin(
        self, texts: Sequence[str], submit: Callable[..., _Promise], unread: frozenset[int] = frozenset()
    ) -> Callable[[], NDArray[np.float32]]:
        """The texts at the places in `unread` get zeros, and nothing is computed for them."""
        read = [place for place in range(len(texts)) if place not in unread]
        model = self.loaded() if read else None
        encoded = {place: model.encode(texts[place]) for place in read} if model else {}
        most = BATCH_TEXTS if self.directory.padding else 1
        planned = plan([len(ids) for ids in encoded.values()], BATCH_TOKENS, most)
        batches = [[read[place] for place in batch] for batch in planned]
        running = [submit(self.run_batch, model, [encoded[place] for place in batch]) for batch in batches]
        return lambda: self._gathered(len(texts), batches, running)

    def _gathered(
        self, count: int, batches: Sequence[Sequence[int]], running: Sequence[_Promise]
    ) -> NDArray[np.float32]:
        import numpy as np

        vectors = np.zeros((count, self.profile.dimensions), np.float32)
        for batch, found in zip(batches, running, strict=True):
            vectors[list(batch)] = found.result()
        return vectors

    def run_batch(self, model: _Loaded, batch: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        import numpy as np

        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            output = model.session.run(None, {name: given[name] for name in model.inputs})[0]
        except Exception as error:  # onnxruntime's errors share no base
            raise ProviderFailed(f"{self.profile.name} failed on {ids.size} tokens: {error}") from error
        return self._pooled(output, mask)

    def _pooled(self, output: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        import numpy as np

        expected = 2 if self.directory.pooling == "graph" else 3
        if output.ndim != expected or output.shape[-1] != self.profile.dimensions:
            raise ModelUnavailable(
                f"{self.profile.name} gives {'×'.join(map(str, output.shape))} values, but its model.json says "
                f"{self.profile.dimensions} dimensions and pooling {self.directory.pooling}",
                hint=self.directory.remedy,
            )
        if self.directory.pooling == "cls":
            output = output[:, 0]
        elif self.directory.pooling == "mean":
            # The sum has the mean's direction, and only the direction is kept.
            output = np.einsum("btd,bt->bd", output, mask.astype(np.float32))
        vectors = output.astype(np.float32, copy=False)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        normalised: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-12))
        return normalised

    def cores(self) -> int:
        return self._threads or available_cores()

    def loaded(self) -> _Loaded:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> _Loaded:
        graph = self.directory.graph()
        session = model_session(
            graph,
            threads=self.cores() if self.directory.padding else 1,
            providers=self._providers,
            remedy=self.directory.remedy,
            optimised=self.directory.optimised,
        )
        inputs = frozenset(tensor.name for tensor in session.get_inputs())
        wanted = {"input_ids", "attention_mask"} if self.directory.padding else {"input_ids"}
        if not wanted <= inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
            raise ModelUnavailable(f"{graph} takes {', '.join(sorted(inputs))}", hint=self.directory.remedy)
        return _Loaded(session, inputs, _encoder(self.directory))


def token_counter(folder: Path, remedy: str = REMEDY) -> TokenCounter:
    """Counts as the model in the folder counts."""
    return any_counter_of(read_directory(folder, remedy))


def _encoder(directory: ModelDirectory) -> Encoder:
    """A text's ids with the special ones around them, at most a window of them."""
    window = directory.profile.window
    if directory.tokenizer != "tokenizers":
        counter = counter_of(directory)
        return lambda text: [counter.start, *counter.fitted(text, window - 2), counter.end]
    tokenizer = load_tokenizer(directory.file("tokenizer.json"), directory.remedy)
    tokenizer.enable_truncation(window)
    return lambda text: list(tokenizer.encode(without_surrogates(text)).ids)
