"""A search's result for people: text, Markdown, and a row for each hit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from recto.interfaces.cli.highlight import Mark, excerpt, flattened, marked, marks, meant, reflowed
from recto.interfaces.cli.layout import Line, Part, cells, columns, count, duration, visible
from recto.interfaces.cli.output import Answer
from recto.model.document import Kind, shown_path
from recto.model.result import Freshness, Hit, Result, StageTrace

COLUMNS = ("rank", "score", "collection", "uri", "start_line", "end_line", "title", "heading_path")
_LINES = 4  # of an excerpt, enough to judge it by
_LINED = frozenset({Kind.CODE, Kind.CONFIG})  # their lines end where their author wanted
_INDENT = "   "
_FRONT_MATTER = re.compile(r"---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_HEADING = re.compile(r"\s*#{1,6}[ \t]+(?P<title>[^\n]*?)[ \t]*(?:\n|$)")
SINCE = {"changed": "changed since", "gone": "no longer there"}
_MARKDOWN = re.compile(r"([\\`*_\[\]<>])")


def result_answer(result: Result, roots: Mapping[str, Path], *, full: bool, explain: bool) -> Answer:
    def data() -> dict[str, Any]:
        from recto.operations.hits import whole
        from recto.operations.plain import plain

        told: dict[str, Any] = plain(whole(result, explain=explain))
        return {"query": result.query} | told

    return Answer(
        data=data,
        rows=lambda: data()["hits"],
        columns=COLUMNS,
        cells=lambda: [_cells(hit) for hit in result.hits],
        text=lambda width: _text(result, roots, width, full=full, explain=explain),
        files=[file for hit in result.hits if (file := place(hit, roots))],
        markdown=lambda: _markdown(result),
    )


def place(hit: Hit, roots: Mapping[str, Path]) -> str | None:
    """`path:line`, as editors take it; nothing for what is no file."""
    root = root_of(hit.collection, hit.kind, roots)
    return f"{root / hit.citation.uri}:{hit.citation.lines.first}" if root else None


def root_of(collection: str, kind: Kind, roots: Mapping[str, Path]) -> Path | None:
    """The folder that the file of a document lies in; a memory has none, nor has a commit."""
    return None if kind is Kind.COMMIT else roots.get(collection)


def files_at(places: Iterable[str], roots: Mapping[str, Path]) -> list[str]:
    """Paths for `collection/uri`, each once, of what is a file now: no commit, no memory, nothing that is gone."""
    found: dict[str, None] = {}
    for one in places:
        collection, _, uri = one.partition("/")
        if collection in roots and (path := roots[collection] / uri).is_file():
            found[str(path)] = None
    return list(found)


def _cells(hit: Hit) -> list[object]:
    citation = hit.citation
    lines = citation.lines
    path = shown_path(citation.heading_path)
    return [hit.rank, round(hit.score, 6), hit.collection, citation.uri, lines.first, lines.last, hit.title, path]


def _text(result: Result, roots: Mapping[str, Path], width: int, *, full: bool, explain: bool) -> Iterator[Line]:
    from recto.algorithms.analysis import Analyzer
    from recto.algorithms.syntax import parse_query

    analyzer = Analyzer()
    query = meant(parse_query(result.query, analyzer)[0])
    for hit in result.hits:
        marks_of = partial(marks, query=query, analyse=analyzer.tokens)
        yield from _hit(hit, roots, marks_of, width, None if full else _LINES)
        if explain:
            yield from _steps(hit)
        yield ()
    if not result.hits:
        yield (Part("No match."),)
    if explain:
        yield from _stages(result.trace)
        yield ()
    yield (Part(_footer(result), "dim"),)


def _hit(
    hit: Hit, roots: Mapping[str, Path], marks_of: Callable[[str], list[Mark]], width: int, lines: int | None
) -> Iterator[Line]:
    rank, score = f"{hit.rank}. ".ljust(len(_INDENT)), f"{hit.score:.3f}"
    title = visible(hit.title or hit.citation.uri)
    room = width - cells(rank) - cells(title) - cells(score)
    named = marked(title, marks_of(title), style="title")
    yield Part(rank, "dim"), *named, Part(" " * room if room > 0 else "  "), Part(score, "dim")
    path = hit.citation.heading_path
    # The first heading most often is the title, which has just been read.
    below = visible(shown_path(path[1:] if path[:1] == (hit.title,) else path))
    if below:
        yield Part(_INDENT), *marked(below, marks_of(below), style="heading")
    where = f"{hit.collection}/{hit.citation.uri}:{hit.citation.lines.first}"
    since = (Part(f"  {SINCE[hit.stale]}", "warn"),) if hit.stale else ()
    root = root_of(hit.collection, hit.kind, roots)
    yield Part(_INDENT), Part(where, "place", link(root, hit.citation.uri)), *since
    text = flattened(hit.excerpt if lines is None else _unheaded(hit))
    if hit.kind not in _LINED:
        text = reflowed(text)
    for line in excerpt(text, marks_of(text), width - len(_INDENT) - 2, lines, headed=hit.kind is Kind.CODE):
        yield Part(_INDENT), Part("│ ", "dim"), *line
    if lines is None and hit.excerpt_truncated:
        yield Part(_INDENT), Part("│ … cut at --max-chars", "dim")


def _unheaded(hit: Hit) -> str:
    """The excerpt from where it says something new: after front matter, and after headings shown above it."""
    text = hit.excerpt
    if hit.citation.span.start == 0 and (front := _FRONT_MATTER.match(text)):
        text = text[front.end() :]
    shown = {hit.title, *hit.citation.heading_path}
    while (heading := _HEADING.match(text)) and heading["title"] in shown:
        text = text[heading.end() :]
    return text if text.strip() else hit.excerpt


def link(root: Path | None, uri: str) -> str | None:
    """Where a click leads; nowhere for a name that no address can hold."""
    try:
        return (root / uri).as_uri() if root else None
    except (ValueError, UnicodeEncodeError):
        return None


def _steps(hit: Hit) -> Iterator[Line]:
    rows = [(Part(_INDENT + "  " + one.stage), Part(f"rank {one.rank}"), Part(_score(one))) for one in hit.steps]
    yield from (tuple(part._replace(style="dim") for part in line) for line in columns(rows))


def _score(step: Any) -> str:
    return f"score {step.score:.4f}" + (f"  {step.detail}" if step.detail else "")


def _stages(trace: Iterable[StageTrace]) -> Iterator[Line]:
    names = ("stage", "shape", "received", "returned", "ms", "")
    rows = [tuple(Part(name, "dim") for name in names)]
    for one in trace:
        note = f"failed: {one.failed}" if one.failed else f"skipped: {one.skipped}" if one.skipped else _detail(one)
        style = "bad" if one.failed else "warn" if one.skipped else ""
        figures = (f"{one.received:,}", f"{one.returned:,}", f"{one.took_ms:.1f}")
        rows.append((Part(one.stage), Part(one.shape), *map(Part, figures), Part(note, style)))
    yield from columns(rows)


def _detail(stage: StageTrace) -> str:
    return ", ".join(f"{name} {_rounded(value)}" for name, value in stage.detail.items())


def _rounded(value: Any) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_rounded(one)}" for name, one in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _footer(result: Result) -> str:
    found = count(len(result.hits), "hit")
    return " · ".join([f"{found} in {duration(result.took_ms / 1e3)}", result.profile, *_fresh(result.freshness)])


def _fresh(freshness: Freshness) -> Iterator[str]:
    yield count(freshness.documents, "document")
    if freshness.pending:
        yield f"{count(freshness.pending, 'chunk')} without a full vector yet"
    if freshness.failed:
        yield f"{count(freshness.failed, 'file')} failed"
    if freshness.queued:
        yield f"{count(freshness.queued, 'change')} on disk not looked at yet"


def _markdown(result: Result) -> str:
    if not result.hits:
        return "No match.\n"
    return "\n".join(_markdown_hit(hit) for hit in result.hits)


def _markdown_hit(hit: Hit) -> str:
    citation = hit.citation
    lines = f"{citation.lines.first}-{citation.lines.last}"
    heading = f" ({_escaped(shown_path(citation.heading_path))})" if citation.heading_path else ""
    quoted = "\n".join(f"   > {line}".rstrip() for line in flattened(hit.excerpt).split("\n"))
    place = _code(visible(f"{hit.collection}/{citation.uri}:{lines}"))
    cut = "\n   > …" if hit.excerpt_truncated else ""
    return f"{hit.rank}. **{_escaped(hit.title)}**{heading}\n   {place}\n\n{quoted}{cut}\n"


def _code(text: str) -> str:
    """A code span, fenced with more backticks than the text has in a row."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if len(fence) > 1 else f"`{text}`"


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", visible(text))
