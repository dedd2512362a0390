"""What a client's model is told before its first call, and the prompts that a person picks."""

from __future__ import annotations

from collections.abc import Container, Mapping

from mcp import types

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_LINES, one_line
from octavo.config.folder_library_discovery import is_made_by_itself
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, OctavoError
from octavo.model.git_commit import is_repository
from octavo.operations.search.rendering import search_model_lines
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search
from octavo.operations.styled_answer_lines import written
from octavo.operations.token_counts_and_page_cursor import size

LIMIT = 1_500  # bytes
CITING = "Cite every statement as collection/uri:line."

_USE: tuple[tuple[str, str], ...] = (
    ("search", "search finds passages by word and by meaning; ask whole questions, exact names, or who calls NAME."),
    ("search_code", "search_code finds declarations by name and code by what it does."),
    ("get", "get reads on: its reference is collection/uri, with :10-20 for lines or #anchor for a section."),
    ("search", f"{CITING} {QUOTED_LINES}"),
    ("log", "log finds commits by what they say."),
    ("recall", "recall finds what was remembered in earlier sessions."),
    ("remember", "remember keeps what later sessions should know."),
    ("reindex", "Call reindex when files may have changed since."),
)
"""What to know of each tool, said if it is offered."""
_EMPTY = "Nothing is indexed yet: ask the person to run `octavo start FOLDER`."


def instructions(engine: Engine, offered: Container[str]) -> str:
    """At most 1.5 KB: as many collections as fit, largest first, and how to use the tools that are offered."""
    use = usage(offered)
    return f"{holdings(engine, LIMIT - size(use) - 2, offered)}\n\n{use}".rstrip()


def without_library(error: OctavoError, offered: Container[str]) -> str:
    """What to say when the library cannot be opened now: it may be there at the next call."""
    trouble = one_line(f"{error.message}; {error.hint}")[:600]
    return f"The library cannot be searched yet: {trouble}.\n\n{usage(offered)}".rstrip()


def usage(offered: Container[str]) -> str:
    """How to use the tools that are offered."""
    return " ".join(sentence for tool, sentence in _USE if tool in offered)


def _documents(number: int) -> str:
    return f"{number} document" if number == 1 else f"{number} documents"


def holdings(engine: Engine, limit: int = LIMIT, offered: Container[str] = ()) -> str:
    counts = engine.store.counts(engine.project.id)
    if not counts.documents and not (engine.watched and engine.watcher.reads_first_time()):
        return _EMPTY
    head = (
        f"Octavo searches the person's own library, project {one_line(engine.project.name)[:60]}: "
        f"{_documents(counts.documents)}, {counts.chunks} {'passage' if counts.chunks == 1 else 'passages'}."
    )
    if not counts.documents:
        made = "has made a library of this repository by itself, and " if is_made_by_itself(engine.location) else ""
        head = f"Octavo {made}is reading these folders for the first time; it answers by words within seconds."
    parts = []
    for collection in engine.collections():
        entries = engine.store.ledger.entries(engine.project.id, collection.id).values()
        number = sum(entry.document_id is not None for entry in entries)
        commits = sum(entry.stamp.size for entry in entries if is_repository(entry.uri))
        holds = _documents(number) + (f" and {commits} commits (kind:commit in a query)" if commits else "")
        parts.append((-number, one_line(f"- {collection.name}: {holds} in {collection.place or 'no folder'}")))
    lines = [head]
    left = limit - size(head) - 40
    for place, (_, line) in enumerate(sorted(parts)):
        left -= size(line) + 1
        if left < 0:
            lines.append(f"- and {len(parts) - place} more" + ("; see status" if "status" in offered else ""))
            break
        lines.append(line)
    return "\n".join(lines)


PROMPTS = (
    types.Prompt(
        name="recall",
        title="Recall",
        description="What the library says about something, with citations.",
        arguments=[types.PromptArgument(name="topic", description="A question or a few words.", required=True)],
    ),
    types.Prompt(
        name="onboarding",
        title="Get to know the library",
        description="What the library holds, and how to find things in it.",
    ),
)


def prompt(engine: Engine, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
    match name:
        case "recall":
            return _recall(engine, given)
        case "onboarding":
            return _onboarding(engine)
    raise InvalidArgument(
        f"there is no prompt {name}", hint=f"there are: {', '.join(prompt.name for prompt in PROMPTS)}"
    )


def _recall(engine: Engine, given: Mapping[str, str]) -> types.GetPromptResult:
    topic = given.get("topic", "").strip()
    if not topic:
        raise InvalidArgument("recall needs a topic", hint="a question or a few words")
    hits = written(search_model_lines(search(engine, SearchRequest(topic, limit=8))))
    return _said(
        f"What the library says about {topic}",
        f"Tell me what my library says about: {topic}\n\n"
        f"Answer from the passages below alone, and say so where they do not answer. {CITING} "
        f"If they are not enough, search again in other words, or read on around them.\n\n{hits}",
    )


def _onboarding(engine: Engine) -> types.GetPromptResult:
    return _said(
        "Get to know the library",
        f"{holdings(engine)}\n\nGet to know this library: search for what its collections seem to be about, "
        "and look at the documents that come up most. Then tell me in a few sentences what is in "
        f"it, and three questions it can answer well. {CITING}",
    )


def _said(description: str, words: str) -> types.GetPromptResult:
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.GetPromptResult(description=description, messages=[message])
