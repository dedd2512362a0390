"""Prompts a person picks in a client: recall what the library says of something, get to know the library."""

from __future__ import annotations

from collections.abc import Mapping

from mcp import types

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.interfaces.mcp.instructions import CITING, holdings
from octavo.operations.search.rendering import search_model_lines
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search
from octavo.operations.styled_answer_lines import written

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
