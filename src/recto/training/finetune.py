"""Fine-tunes an encoder of Recto's own form, or fits a table in its space, from what was harvested."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recto.embedding.directory import GRAPH, read_directory
from recto.embedding.directory import ModelDirectory as ModelDirectory
from recto.embedding.wordpiece import counter_of
from recto.errors import InvalidArgument, MissingExtra, ModelUnavailable, ProviderFailed, StorageError
from recto.observability.progress import Progress
from recto.training.library import Harvest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recto.training.contrastive import Settings, Step
    from recto.training.table import TableSettings
    from recto.training.weights import Model

REMEDY = "train from the bundled model, or from one that `recto finetune` made"
TEACHER = "name a model of `recto models list`, or a folder with model.json, model.onnx and its tokenizer"
_SMALLEST_BATCH = 8
_STATE = "state.pt"


@dataclass(frozen=True, slots=True)
class Trained:
    """The weights, and what the encoder found of the held-back pairs before and after."""

    model: Model
    before: float
    after: float
    pairs: int
    dropped: int
    settings: Settings
    device: str


def require_torch() -> None:
    try:
        import onnx
        import torch
    except ImportError as error:
        raise MissingExtra(
            f"training needs torch and onnx, and {error.name} is not installed",
            hint="pip install 'recto[train]' (on a machine without a GPU, torch's CPU build is enough)",
        ) from error
    del onnx, torch


def base_directory(folder: Path) -> ModelDirectory:
    """The folder, if the encoder in it can be trained."""
    directory = read_directory(folder, REMEDY)
    if directory.tokenizer != "wordpiece" or directory.pooling != "graph" or directory.padding:
        raise InvalidArgument(f"{directory.profile.name} was not built by Recto and cannot be trained", hint=REMEDY)
    return directory


def teacher_directory(folder: Path) -> ModelDirectory:
    """The folder, if the encoder in it can be run; it need not be one that can be trained."""
    directory = read_directory(folder, TEACHER)
    directory.file(GRAPH)
    return directory


def finetune(
    base: ModelDirectory,
    harvest: Harvest,
    settings: Settings,
    work: Path,
    progress: Progress,
    device: str | None = None,
    save_every: int = 200,
    teacher: ModelDirectory | None = None,
) -> Trained:
    """Trains from the base's int8 weights. A run that was stopped goes on from its last saved state.

    The state is saved every so many steps. A teacher's vectors say how near a query and each passage should be.
    """
    import torch

    from recto.training.check import teach
    from recto.training.contrastive import Examples, mined, taught, train
    from recto.training.encoder import Encoder, Texts, embedded

    model, where = _weights(base), _device(device)
    encode = _encoder(base)
    texts: dict[str, int] = {}
    groups: list[str] = []
    for pair in harvest.learn:
        for text in (pair.query, pair.positive):
            if text not in texts:
                texts[text] = len(texts)
                groups.append(pair.group)
    every = Texts([encode(text) for text in texts], where)
    balance = Texts([encode(text) for text in harvest.passages], where) if harvest.passages else None
    places = [(texts[pair.query], texts[pair.positive]) for pair in harvest.learn]
    encoder = Encoder(model).to(where)
    held = _held(harvest, encode, where)
    before = held(encoder)
    progress.start("reading with the model as it is", None, "texts")
    vectors = embedded(encoder, every)
    spared = None if balance is None else embedded(encoder, balance)
    progress.finish()
    said, by = None, vectors
    if teacher is not None:
        asked = {pair.query for pair in harvest.learn}
        said = taught([teach(teacher.path, list(texts), asked, progress)], places, settings.seed, where)
        by = said.cpu().numpy()
    negatives, worth = mined(by, places, groups, settings, where, taught=said is not None)
    examples = Examples(every, [places[one] for one in worth], [negatives[one] for one in worth], balance, said)
    settings = replace(settings, batch=min(settings.batch, max(2, len(worth))))
    while True:
        run = _Run(work, _fingerprint(base, teacher, harvest, settings), progress)
        try:
            resume = run.resumed()
            train(
                encoder,
                examples,
                settings,
                told=run.told,
                before=(vectors, spared),
                resume=resume,
                save=run.save,
                save_every=save_every,
            )
            break
        except (RuntimeError, MemoryError) as error:
            if not _out_of_memory(error) or settings.batch // 2 < _SMALLEST_BATCH:
                raise ProviderFailed(f"training failed: {error}", hint="try a smaller --batch") from error
            settings = replace(settings, batch=settings.batch // 2)
            encoder = Encoder(model).to(where)
            if where.type == "cuda":
                torch.cuda.empty_cache()
        finally:
            progress.finish()
    after = held(encoder)
    run.forget()
    dropped = len(places) - len(worth)
    return Trained(encoder.weights(), before, after, len(worth), dropped, settings, where.type)


def fit_table(
    base: ModelDirectory, harvest: Harvest, settings: TableSettings, progress: Progress, device: str | None = None
) -> tuple[NDArray[np.float32], float]:
    """The table in the base's space, and what its vectors let the encoder find of the held-back pairs."""
    import torch

    from recto.training.encoder import Encoder, Texts, embedded
    from recto.training.measure import ndcg
    from recto.training.table import Bags, Lessons, features_of, fit

    model, where = _weights(base), _device(device)
    encode = _encoder(base)
    encoder = Encoder(model).to(where)
    answers = list(dict.fromkeys(pair.positive for pair in harvest.learn))
    queries = list(dict.fromkeys(pair.query for pair in harvest.learn))
    ids = [encode(text) for text in (*answers, *harvest.passages, *queries)]
    progress.start("reading with the encoder", None, "texts")
    targets = embedded(encoder, Texts(ids, where))
    start, end = encode("")[0], encode("")[-1]
    alone = embedded(encoder, Texts([[start, token, end] for token in range(len(model.words))], where))
    progress.finish()
    at, asked = _numbered(answers), _numbered(queries)
    pairs = [(asked[pair.query], at[pair.positive]) for pair in harvest.learn]
    lessons = Lessons(ids, targets, targets[len(ids) - len(queries) :], pairs)

    done = [0]

    def told(step: Step) -> None:
        if step.number <= 50:
            progress.start("fitting", step.total, "steps")
        progress.advance(step.number - done[0], f"distance {step.drift:.3f}")
        done[0] = step.number

    table = fit(features_of(alone, model.words), lessons, settings, where, told)
    progress.finish()
    held = list(dict.fromkeys(pair.positive for pair in harvest.held))
    bags = Bags([encode(text) for text in held], settings.power, where, settings.lead)
    rows = torch.as_tensor(table).to(where)
    with torch.no_grad():
        documents = bags.summed(rows.__getitem__, torch.arange(len(held), device=where)).cpu().numpy()
    found = embedded(encoder, Texts([encode(pair.query) for pair in harvest.held], where))
    number = _numbered(held)
    score = ndcg(found, documents, range(len(held)), [{number[pair.positive]: 1} for pair in harvest.held])
    return table, score


class _Run:
    """One try at training: where its state is kept, and how it is told."""

    def __init__(self, work: Path, fingerprint: str, progress: Progress) -> None:
        self._path = work / _STATE
        self._fingerprint = fingerprint
        self._progress = progress
        self._done = 0
        self._started = False

    def told(self, step: Step) -> None:
        if not self._started:
            self._progress.start("training", step.total, "steps")
            self._started = True
        self._progress.advance(step.number - self._done, f"loss {step.loss:.3f}")
        self._done = step.number

    def resumed(self) -> Mapping[str, Any] | None:
        """The state that the same examples and settings left behind, if they did."""
        import torch

        if not self._path.is_file():
            return None
        try:
            state: dict[str, Any] = torch.load(self._path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, ValueError):
            return None  # cut short while it was written: begin again
        return state if state.get("fingerprint") == self._fingerprint else None

    def save(self, step: int, state: Mapping[str, Any]) -> None:
        import torch

        aside = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            torch.save({**state, "fingerprint": self._fingerprint}, aside)
            aside.replace(self._path)
        except (OSError, RuntimeError) as error:
            raise StorageError(
                f"{self._path} cannot be written: {error}", hint="free some disk space; training goes on from there"
            ) from error

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)


def _held(harvest: Harvest, encode: Callable[[str], list[int]], device: Any) -> Callable[[Any], float]:
    from recto.training.encoder import Texts, embedded
    from recto.training.measure import ndcg

    answers = list(dict.fromkeys(pair.positive for pair in harvest.held))
    number = _numbered(answers)
    asked = Texts([encode(pair.query) for pair in harvest.held], device)
    answering = Texts([encode(text) for text in answers], device)
    judged = [{number[pair.positive]: 1} for pair in harvest.held]
    return lambda encoder: ndcg(embedded(encoder, asked), embedded(encoder, answering), range(len(answers)), judged)


def _weights(base: ModelDirectory) -> Model:
    from recto.training.graph import read_graph

    try:
        return read_graph(base.file(GRAPH).read_bytes())
    except (KeyError, ValueError) as error:
        raise ModelUnavailable(f"{base.profile.name} was not built by Recto: {error}", hint=REMEDY) from error


def _encoder(base: ModelDirectory) -> Callable[[str], list[int]]:
    counter = counter_of(base.file("vocab.txt"))
    room = base.profile.window - 2
    return lambda text: [counter.start, *counter.ids(text, room), counter.end]


def _device(name: str | None) -> Any:
    import torch

    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise InvalidArgument("torch sees no GPU here", hint="leave --device out, or say --device cpu")
    if name == "cpu":
        torch.use_deterministic_algorithms(True)
    return torch.device(name)


def _out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "out of memory" in str(error) or "can't allocate memory" in str(error)


def _fingerprint(base: ModelDirectory, teacher: ModelDirectory | None, harvest: Harvest, settings: Settings) -> str:
    models = [base.profile.revision, teacher.profile.revision if teacher else ""]
    told = hashlib.sha256(json.dumps([models, asdict(settings)]).encode())
    for pair in harvest.learn:
        told.update(f"{pair.query}\0{pair.positive}\0".encode("utf-8", "replace"))
    return told.hexdigest()


def _numbered(texts: Iterable[str] | Sequence[str]) -> dict[str, int]:
    return {text: number for number, text in enumerate(texts)}
