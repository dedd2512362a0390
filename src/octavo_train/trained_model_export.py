"""Exports trained weights as the files of a model folder: int8 graph or table, tokenizer, checksums, card."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from octavo.fast_dataclass import Value, replace
from octavo_train.int8_quantisation import (
    Range,
    calibrate,
    calibration_ids,
    calibration_texts,
    fold_contexts,
    spread_out,
)
from octavo_train.numpy_encoder import Array, Model, RerankerWeights
from octavo_train.onnx_graph_export import WORDS, emit, emit_reranker, without_words

if TYPE_CHECKING:
    from octavo.embedding.bpe import BpeCounter
    from octavo.embedding.model_folder import ModelDirectory
    from octavo.embedding.token_counters import WordPieceCounter
    from octavo.model.embedding_profile import EmbeddingProfile


class ModelCard(Value):
    """What a model's card says of how it came about. `figures` are nDCG@10 on each check, before and after."""

    name: str
    base: str
    base_revision: str
    made_at: str
    command: str
    pairs: Mapping[str, int]
    settings: Mapping[str, Any]
    figures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    licence: str = "the licence of the base model and of what it was trained on"
    sources: str = "one library's own documents"


def card(made: ModelCard, about: Mapping[str, Any]) -> str:
    table = "space" in about
    what = "A table of token vectors in the space of" if table else "An encoder of text, trained from"
    lines = [
        f"# {made.name}",
        "",
        f"{what} {made.base} ({made.base_revision}). {about['dimensions']} dimensions, a window of "
        f"{about['window']} tokens, int8.",
        "",
        *_origin(made, about),
        "",
    ]
    lines += _figures(made)
    lines.append(
        "Vectors of this table are compared with that encoder's alone."
        if table
        else "Vectors of this model are compared with each other alone: a library changes to it as a whole."
    )
    return "\n".join(lines) + "\n"


def reranker_card(made: ModelCard, about: Mapping[str, Any]) -> str:
    lines = [
        f"# {made.name}",
        "",
        f"A cross-encoder, trained from {made.base} ({made.base_revision}): a question and a passage go in together, "
        f"one logit comes out. A window of {about['window']} tokens for both, int8.",
        "",
        *_origin(made, about),
        f"- sha256 of its graph: {about['sha256']}",
        "",
        *_figures(made),
        "Its scores are mixed with what the search has found already: alone they rank worse than the hybrid does.",
    ]
    return "\n".join(lines) + "\n"


def _figures(made: ModelCard) -> list[str]:
    if not made.figures:
        return []
    rows = [f"| {name} | {pair['before']:.4f} | {pair['after']:.4f} |" for name, pair in made.figures.items()]
    return ["| check | nDCG@10 before | after |", "|---|---|---|", *rows, ""]


def _origin(made: ModelCard, about: Mapping[str, Any]) -> list[str]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in made.pairs.items())
    settings = ", ".join(f"{name} {value}" for name, value in made.settings.items())
    return [
        f"- Made: {made.made_at}, by `{made.command}`",
        f"- From: {made.sources}; {sum(made.pairs.values()):,} pairs ({kinds})",
        f"- Settings: {settings}",
        f"- Licence: {made.licence}",
        f"- Revision: {about['revision']}",
    ]


_QUESTION_TOKENS = 12  # of a calibration text that stand for the question


def encoder_files(
    model: Model,
    prose: Sequence[str],
    counter: WordPieceCounter | BpeCounter,
    vocabulary: bytes,
    licence: bytes,
    window: int,
    ranges: Mapping[str, Range] | None = None,
) -> dict[str, bytes]:
    """The graph and the files it needs. Ranges are measured on the library's own prose and on random tokens,
    unless the weights were settled for some already."""
    if ranges is None:
        body = counter.ids("\n".join(prose)[:40_000])
        texts = calibration_ids(body, (counter.start, counter.end), counter.size, window)
        model, ranges = spread_out(model, calibrate(model, texts))
    graph, words = without_words(emit(*fold_contexts(model, ranges), title="octavo"))
    return {"model.onnx": graph, WORDS: words, "vocab.txt": vocabulary, "LICENSE": licence}


def reranker_files(
    reranker: RerankerWeights, pairs: Sequence[tuple[str, str]], tokenizer: bytes, licence: bytes, window: int
) -> dict[str, bytes]:
    """The graph and the files it needs. What enters each layer is measured on pairs of questions and passages, and on
    random tokens."""
    counting = Tokenizer.from_str(tokenizer.decode())
    counting.enable_truncation(window, strategy="longest_first")
    separator = int(counting.token_to_id("[SEP]") or 0)
    texts = [pair.ids for pair in counting.encode_batch(list(pairs))]
    texts += [_as_pair(text, separator) for text in calibration_texts(counting, "", window - 1)]
    folded, ranges = quantised_reranker(reranker, texts, separator)
    return {
        "model.onnx": emit_reranker(folded, ranges, "octavo-rerank"),
        "tokenizer.json": tokenizer,
        "LICENSE": licence,
    }


def _as_pair(text: Sequence[int], separator: int) -> list[int]:
    """A text of calibration with its first tokens for a question."""
    body = text[1:-1]
    return [text[0], *body[:_QUESTION_TOKENS], separator, *body[_QUESTION_TOKENS:], separator]


def quantised_reranker(
    reranker: RerankerWeights, pairs: Sequence[Sequence[int]], separator: int
) -> tuple[RerankerWeights, Mapping[str, Range]]:
    """The weights as int8 takes them, and what enters each layer, measured on these pairs."""

    def segments(ids: Sequence[int]) -> Array:
        passage = np.arange(len(ids)) > list(ids).index(separator)
        added: Array = reranker.segments[passage.astype(np.int64)].astype(np.float64)
        return added

    model, ranges = fold_contexts(*spread_out(reranker.model, calibrate(reranker.model, pairs, segments)))
    return replace(reranker, model=model), ranges


def described_reranker(files: Mapping[str, bytes], made: ModelCard, window: int) -> dict[str, bytes]:
    """The files with their card and `model.json`, which knows the sha256 of all of them."""
    about = {"dimensions": 1, "window": window, "tokenizer": "tokenizers", "padding": True, "optimised": True}
    return with_checksums(files, made, about, reranker_card)


def described_encoder(
    files: Mapping[str, bytes], made: ModelCard, window: int, dimensions: int, words: Mapping[str, Any]
) -> dict[str, bytes]:
    """The files with their card and `model.json`, which knows the sha256 of all of them. `words` says how a text is cut
    into tokens (see `words_of`)."""
    about = {
        "dimensions": dimensions,
        "window": window,
        "pooling": "graph",
        **words,
        "padding": False,
        "optimised": True,
    }
    return with_checksums(files, made, about)


def words_of(base: ModelDirectory) -> dict[str, Any]:
    """What a base's `model.json` says of its words, for the models that are made from it."""
    return {"tokenizer": base.tokenizer, **({"scripts": list(base.scripts)} if base.scripts else {})}


def described_table(
    table: bytes,
    power: float,
    lead: float,
    vocabulary: bytes,
    licence: bytes,
    made: ModelCard,
    base: tuple[EmbeddingProfile, Mapping[str, Any]],
) -> dict[str, bytes]:
    """`table` is what `table_bytes` gives, `base` the encoder's profile and its words (see `words_of`)."""
    files = {"table.npz": table, "vocab.txt": vocabulary, "LICENSE": licence}
    about = {
        "dimensions": base[0].dimensions,
        "window": base[0].window,
        **base[1],
        "space": made.base_revision,
        "power": power,
        "lead": lead,
    }
    return with_checksums(files, made, about)


def table_bytes(table: NDArray[np.float32]) -> bytes:
    """int8 with a scale a row."""
    scales = (np.abs(table).max(1) / 127).astype(np.float32)
    rows = np.rint(table / np.where(scales == 0, 1, scales)[:, None]).astype(np.int8)
    return archived({"rows": rows, "scales": scales})


def archived(arrays: Mapping[str, Array]) -> bytes:
    """An archive whose bytes depend on nothing but the arrays."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            raw = io.BytesIO()
            np.lib.format.write_array(raw, np.ascontiguousarray(array), allow_pickle=False)
            # Not `np.savez`: it writes the time of day into the archive.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), raw.getvalue())
    return buffer.getvalue()


def with_checksums(
    files: Mapping[str, bytes],
    made: ModelCard,
    properties: Mapping[str, Any],
    written: Callable[[ModelCard, Mapping[str, Any]], str] = card,
) -> dict[str, bytes]:
    """The files with their card and `model.json`, which knows the sha256 of all of them. The revision is that of the
    graph or the table."""
    form, main = ("int8", "model.onnx") if "model.onnx" in files else ("table", "table.npz")
    about = {
        "format": 1,
        "name": made.name,
        "model": f"octavo/{made.name}",
        "revision": f"{form}-{_sha256(files[main])[:12]}",
        **properties,
    }
    told = {**about, "sha256": _sha256(files[main])}
    everything = {**files, "CARD.md": written(made, told).encode()}
    listed = {name: {"bytes": len(data), "sha256": _sha256(data)} for name, data in sorted(everything.items())}
    described = {
        **about,
        "base": made.base,
        "base_revision": made.base_revision,
        "made_at": made.made_at,
        "figures": made.figures,
        "files": listed,
    }
    return {**everything, "model.json": (json.dumps(described, indent=2) + "\n").encode()}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
