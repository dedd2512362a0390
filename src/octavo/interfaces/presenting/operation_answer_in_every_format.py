"""Prepares an operation's answer for every output format: data, rows, text, Markdown and file paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.engine.search.containing_file_on_disk import containing_file
from octavo.fast_dataclass import replace
from octavo.interfaces.presenting.excerpt_selection_and_wrapping import flattened
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView, terminal_lines
from octavo.lazy_regex import regex
from octavo.model.document import Kind, shown_path
from octavo.model.git_commit import is_commit
from octavo.operations.answer_conversion import plain
from octavo.operations.search.rendering import search_lines
from octavo.operations.search.results import whole_answer
from octavo.operations.styled_answer_lines import DETAIL, FILL, Block, Part, Quote, visible

if TYPE_CHECKING:
    from octavo.model.search_result import Hit, Result
    from octavo.operations.answer_table_rendering import Listing
    from octavo.operations.operation import Operation

_PATHS = frozenset({"heading_path"})  # columns whose values are headings, one below the other


def operation_answer(
    operation: Operation, answer: Any, view: TerminalView, files: Sequence[str] | None = None
) -> Answer:
    """The answer in every format. `files` are its paths, where its rows have none."""
    made = _in_every_format(answer, operation.rendered, lambda: operation.listing, view, files)
    if exact := operation.listing.exact:
        made = replace(made, exact=getattr(answer, exact), markdown=lambda: getattr(answer, exact))
    return replace(made, brief=operation.listing.confirms)


def search_answer(result: Result, view: TerminalView, *, explain: bool) -> Answer:
    """The same for a search; operations are imported late, for a fast start."""
    made = _in_every_format(whole_answer(result, explain=explain), search_lines, _hits, view, None)
    return replace(made, files=lambda: list(dict.fromkeys(_hit_files(result.hits, view.roots))))


def _hit_files(hits: Iterable[Hit], roots: Mapping[str, Path]) -> Iterator[str]:
    """Of each hit the place of its passage; of a commit, the files that it changed and that are still there."""
    for hit in hits:
        changed = [f"{hit.collection}/{path}" for path in hit.commit.files] if hit.commit else ()
        lines = hit.citation.lines
        row = {"uri": hit.citation.uri, "kind": hit.kind, "start_line": lines.first, "end_line": lines.last}
        yield from files_at(changed, roots) or places([{"collection": hit.collection} | row], roots)


def _hits() -> Listing:
    from octavo.operations.operation_lookup import COMMANDS

    return COMMANDS["search"].listing


def _in_every_format(
    answer: Any,
    lines: Callable[[Any], Iterable[Block]],
    listing: Callable[[], Listing],
    view: TerminalView,
    files: Sequence[str] | None,
) -> Answer:
    def data() -> dict[str, Any]:
        as_json: dict[str, Any] = plain(answer)
        return as_json

    def rows() -> list[dict[str, Any]]:
        name = listing().rows
        values = data()[name] if name else data()
        return values if isinstance(values, list) else [values]

    def written() -> str | None:
        blocks = list(lines(answer))
        quotes = any(isinstance(block, Quote) for block in blocks)
        return markdown(blocks) if quotes or (listing().matches and not rows()) else None

    return Answer(
        data=data,
        rows=rows,
        columns=lambda: listing().columns,
        cells=lambda: [_cells(row, listing().columns) for row in rows()],
        text=lambda width: terminal_lines(lines(answer), view, width),
        files=(lambda: paths(rows(), listing().path, view.roots)) if files is None else files,
        markdown=written,
    )


def _cells(row: Mapping[str, Any], columns: Sequence[str]) -> list[object]:
    return [shown_path(row.get(name) or ()) if name in _PATHS else row.get(name) for name in columns]


def paths(rows: Sequence[Mapping[str, Any]], field: str, roots: Mapping[str, Path]) -> list[str]:
    """The files that rows name: in `field`, as `place`, or as `collection` and `uri`. A commit or a memory, which is no
    file, is named as `get` takes it."""
    if field:
        return [row[field] for row in rows if row.get(field)]
    if any("place" in row for row in rows):
        named = dict.fromkeys(row["place"] for row in rows if row.get("place"))
        return [path for place in named for path in files_at([place], roots) or _without_file(place, roots)]
    return list(places(rows, roots))


def _without_file(place: str, roots: Mapping[str, Path]) -> tuple[str, ...]:
    collection, _, uri = place.partition("/")
    return (place,) if is_commit(uri) or collection not in roots else ()


def places(rows: Iterable[Mapping[str, Any]], roots: Mapping[str, Path]) -> Iterator[str]:
    """`path:line` of each row that is a file, as editors take it; of a commit or a memory, its citation."""
    for row in rows:
        collection, line = row.get("collection") or "", row.get("start_line", 0)
        uri = row.get("uri") or row.get("item")
        if root := root_of(collection, row.get("kind", ""), uri or "", roots):
            file, line = file_and_line(root, row["uri"], row.get("kind", ""), line)
            yield f"{file}:{line}" if line else str(file)
        elif uri:
            named = f"{collection}/{uri}" if collection else uri
            yield f"{named}:{line}-{row['end_line']}" if line and not is_commit(uri) else named


def file_and_line(root: Path, uri: str, kind: str, line: int) -> tuple[Path, int]:
    """The mailbox of a message, the export of a conversation: lines of what is made of these are none of the file."""
    file = containing_file(root, uri)
    return file, min(line, 1) if kind == Kind.CONVERSATION or file != root / uri else line


def root_of(collection: str, kind: str, uri: str, roots: Mapping[str, Path]) -> Path | None:
    """The folder that the file of a document lies in; a memory has none, nor has a commit."""
    return None if kind == Kind.COMMIT or is_commit(uri) else roots.get(collection)


def files_at(places: Iterable[str], roots: Mapping[str, Path]) -> list[str]:
    """Paths for `collection/uri`, each once, of what is a file now: no commit, no memory, nothing that is gone."""
    files: dict[str, None] = {}
    for place in places:
        collection, _, uri = place.partition("/")
        if collection in roots and (path := containing_file(roots[collection], uri)).is_file():
            files[str(path)] = None
    return list(files)


_INDENT = "   "
_LEFT_OUT = frozenset({DETAIL, "dim"})  # a line of nothing else
_SPECIAL = regex(r"([\\`*_\[\]<>])")


def markdown(blocks: Iterable[Block]) -> str:
    return "\n".join(_lines(blocks)).rstrip("\n") + "\n"


def _lines(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Quote):
            yield from _quotation(block)
        elif not block or any(part.style not in _LEFT_OUT for part in block):
            yield "".join(_part(part) for part in takewhile(lambda part: part is not FILL, block)).rstrip()


def _quotation(quote: Quote) -> Iterator[str]:
    if quote.whole:
        yield quote.text
        return
    yield ""
    yield from (f"{_INDENT}> {line}".rstrip() for line in flattened(quote.text).split("\n"))
    if quote.truncated:
        yield f"{_INDENT}> …"


def _part(part: Part) -> str:
    text = visible(part.text)
    if part.style == DETAIL:
        return ""
    match part.style:
        case "title":
            return f"**{_escaped(text)}**"
        case "place":
            return _code(text)
    return _escaped(text)


def _code(text: str) -> str:
    """A code span, fenced with more backticks than the text has in a row."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
