"""The model card: what the model is, what it was made from and how, how good it is, what it is not for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ModelCard:
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
