"""`octavo embed`: texts, or lines of a pipe, to vectors as lines of JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import click

from octavo.fast_dataclass import replace
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.operations.models.requests import EmbedRequest

_AT_ONCE = 64  # lines of a pipe


@command(EmbedRequest, "embed", optional=("texts",))
def embed(choices: Choices, request: EmbedRequest) -> None:
    from octavo.operations.models.text_embedding import embed as embedded

    if not request.texts and sys.stdin.isatty():
        raise click.UsageError("Give a TEXT, or pipe lines in.")
    records = (
        ({"text": text} for text in request.texts) if request.texts else map(_record, filter(str.strip, sys.stdin))
    )
    with opened(choices) as session:
        while batch := list(islice(records, _AT_ONCE)):
            answer = embedded(session.engine, replace(request, texts=tuple(str(record["text"]) for record in batch)))
            vectors = (vector.embedding for vector in answer.vectors)
            output.plain("".join(_lines(batch, vectors)))


def _record(line: str) -> dict[str, Any]:
    """An object with a `text` keeps what else it has; any other line is the text itself."""
    line = line.rstrip("\r\n")
    if line.startswith("{"):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict) and isinstance(record.get("text"), str):
            return record
    return {"text": line}


def _lines(records: Sequence[dict[str, Any]], vectors: Iterator[tuple[float, ...]]) -> Iterator[str]:
    for record, vector in zip(records, vectors, strict=True):
        yield json.dumps({**record, "embedding": vector}, ensure_ascii=False) + "\n"
