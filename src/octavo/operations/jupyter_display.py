"""Answers as a notebook shows them: hits as a table, a document as rendered text. Its HTML is shown, not obeyed."""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath

from markdown_it import MarkdownIt

from octavo.model.document import Kind, shown_path
from octavo.operations.reading.results import GetAnswer
from octavo.operations.search.results import SearchAnswer

_MARKDOWN = frozenset({".md", ".markdown", ".mdx"})
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
            f"<td style='text-align:left;white-space:pre-wrap'>{escape(excerpt)}</td></tr>"
        )
    head = "<tr><th></th><th>score</th><th>place</th><th>passage</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>" if rows else "<p>No match.</p>"


def document(answer: GetAnswer) -> str:
    """Markdown and what was converted to it rendered, anything else as it is written."""
    place = f"{answer.collection}/{answer.uri}:{answer.start_line}-{answer.end_line}"
    written = PurePosixPath(answer.uri).suffix.lower() in _MARKDOWN or answer.kind in (Kind.NOTE, Kind.DOC)
    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(answer.text) if written else None
    return f"<p><code>{escape(place)}</code></p>{body or f'<pre>{escape(answer.text)}</pre>'}"
