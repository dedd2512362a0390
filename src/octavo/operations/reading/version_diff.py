"""What changed between two versions of a document."""

from __future__ import annotations

from difflib import unified_diff

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.operations.reading.requests import DiffRequest
from octavo.operations.reading.results import DiffAnswer
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, size
from octavo.retrieval.reference_resolution import Passage, read_passage, version_numbers


def diff(engine: Engine, request: DiffRequest) -> DiffAnswer:
    with engine.store.reading():
        numbers = version_numbers(engine, request.reference, request.collection)
        if not numbers:
            raise NotFound(
                f"nothing in the library is called {request.reference}", hint="`octavo list --documents` shows them"
            )
        newer = request.to_version or numbers[-1]
        older = request.from_version or max((number for number in numbers if number < newer), default=newer)
        before, after = _version(engine, request, older), _version(engine, request, newer)
    lines = list(
        unified_diff(
            before.text.splitlines(keepends=True),
            after.text.splitlines(keepends=True),
            f"{before.document.uri} (version {older})",
            f"{after.document.uri} (version {newer})",
        )
    )
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    shown = _within(text, request.max_tokens * BYTES_PER_TOKEN)
    return DiffAnswer(
        collection=after.document.collection,
        uri=after.document.uri,
        document_id=after.document.id,
        from_version=older,
        to_version=newer,
        from_modified_at=when(before.document.modified_at),
        to_modified_at=when(after.document.modified_at),
        added=sum(line.startswith("+") for line in lines[2:]),
        removed=sum(line.startswith("-") for line in lines[2:]),
        diff=shown,
        truncated=len(shown) < len(text),
    )


def _version(engine: Engine, request: DiffRequest, number: int) -> Passage:
    return read_passage(engine, request.reference, request.collection, version=number)


def _within(text: str, room: int) -> str:
    if size(text) <= room:
        return text
    kept = text.encode("utf-8", "surrogatepass")[:room].decode("utf-8", "ignore")
    return kept[: kept.rfind("\n") + 1]
