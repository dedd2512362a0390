"""The answers about projects and sessions as lines, for every writer."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.projects.results import ProjectsResolveAnswer
from octavo.operations.styled_answer_lines import DETAIL, Line, Part


def projects_resolve_lines(answer: ProjectsResolveAnswer) -> Iterator[Line]:
    how = "made just now" if answer.created else f"found by its {answer.by}"
    elsewhere = "" if answer.current else "; not the current project"
    yield Part(answer.project, "title"), Part(f"  {how}{elsewhere}", "dim")
    for collection in answer.collections:
        yield (
            Part("  "),
            Part(f"{collection.project}: ", DETAIL),
            Part(collection.name, "place"),
            Part(f"  {collection.root}", "dim"),
            Part(f"  uris under {collection.uri_prefix}" if collection.uri_prefix else "", "dim"),
        )
