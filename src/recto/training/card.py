"""The model card: what it is, what it was made from and how, how good it is, what it is not for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recto.training.export import Made


def card(made: Made, about: Mapping[str, Any]) -> str:
    table = "space" in about
    what = "A table of token vectors in the space of" if table else "An encoder of text, trained from"
    pairs = sum(made.pairs.values())
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in made.pairs.items())
    settings = ", ".join(f"{name} {value}" for name, value in made.settings.items())
    lines = [
        f"# {made.name}",
        "",
        f"{what} {made.base} ({made.base_revision}). {about['dimensions']} dimensions, a window of "
        f"{about['window']} tokens, int8.",
        "",
        f"- Made: {made.made_at}, by `{made.command}`",
        f"- From: {made.sources}; {pairs:,} pairs ({kinds})",
        f"- Settings: {settings}",
        f"- Licence: {made.licence}",
        f"- Revision: {about['revision']}",
        "",
    ]
    if made.figures:
        lines += ["| check | nDCG@10 before | after |", "|---|---|---|"]
        lines += [f"| {name} | {pair['before']:.4f} | {pair['after']:.4f} |" for name, pair in made.figures.items()]
        lines.append("")
    lines.append(
        "Vectors of this table are compared with that encoder's alone."
        if table
        else "Vectors of this model are compared with each other alone: a library changes to it as a whole."
    )
    return "\n".join(lines) + "\n"
