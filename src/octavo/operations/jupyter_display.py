"""Answers for notebooks: hits as a table of HTML, pandas or Polars, a document as rendered text. HTML is not obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from octavo.errors import ConfigurationError
from octavo.lazy_regex import regex
from octavo.model.document import Kind, shown_path
from octavo.operations.reading.results import GetAnswer
from octavo.operations.search.results import SearchAnswer
from octavo.plugins import install_command

_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
_FRONT_MATTER = regex(r"\A---\r?\n.*?^---\s*$", re.DOTALL | re.MULTILINE)
_EXCERPT = 300  # characters of a hit


def hits_table(answer: SearchAnswer) -> str:
    """One row a hit: its relevance, where it is, and how it begins."""
    rows = []
    for hit in answer.hits:
        score = "" if hit.score is None else f"{hit.score:.2f}"
        excerpt = hit.excerpt if len(hit.excerpt) <= _EXCERPT else f"{hit.excerpt[:_EXCERPT].rpartition(' ')[0]} …"
        place = f"<b>{escape(hit.title)}</b><br>{escape(shown_path(hit.heading_path))}<br><code>{escape(hit.citation)}"
        rows.append(
            f"<tr><td>{hit.rank}</td><td>{score}</td><td style='text-align:left'>{place}</code></td>"
            f"<td style='text-align:left'>{_rendered(excerpt, hit.uri, hit.kind)}</td></tr>"
        )
    head = "<tr><th></th><th>score</th><th>place</th><th>passage</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else "<p>No match.</p>"


def document(answer: GetAnswer) -> str:
    """A document and where it is, without its front matter."""
    place = f"{answer.collection}/{answer.uri}:{answer.start_line}-{answer.end_line}"
    text = _FRONT_MATTER.sub("", answer.text, count=1)
    return f"<p><code>{escape(place)}</code></p>{_rendered(text, answer.uri, answer.kind)}"


def _rendered(text: str, uri: str, kind: str) -> str:
    """Markdown and what was converted to it rendered, anything else as it is written."""
    if PurePosixPath(uri).suffix.lower() in _MARKDOWN or kind in (Kind.NOTE, Kind.DOC, Kind.MEMORY):
        html: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
        return html
    return f"<pre>{escape(text)}</pre>"


if TYPE_CHECKING:
    from octavo.operations.search.results import FoundHit

COLUMNS = (
    *("rank", "score", "citation", "collection", "uri", "title", "heading_path", "start_line", "end_line", "excerpt"),
    *("kind", "page", "path", "modified_at", "chunk_id"),
)


def hits_frame(hits: Iterable[FoundHit], library: str | None = None) -> Any:
    """`library` is `pandas` or `polars`; else the first that is installed."""
    name = library or next((each for each in ("pandas", "polars") if find_spec(each)), "pandas")
    if find_spec(name) is None:
        raise ConfigurationError(f"a table of hits needs {name}", hint=install_command("frames"))
    rows = [[_cell(getattr(hit, column)) for column in COLUMNS] for hit in hits]
    if name == "polars":
        return import_module(name).DataFrame(rows, schema=list(COLUMNS), orient="row")
    return import_module(name).DataFrame(rows, columns=list(COLUMNS))


def _cell(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
