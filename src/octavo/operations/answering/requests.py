"""The request of `ask`: the question, where its answer is looked for, and how it is written."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types


class AskRequest(Value):
    question: Annotated[
        str, Field("What you want to know, in words.", min_length=1, max_length=20_000, argument="QUESTION...")
    ]
    mode: Annotated[
        str,
        Field(
            "grounded says only what passages say; insight also concludes, and says so.",
            choices=("grounded", "insight"),
        ),
    ] = "grounded"
    limit: Annotated[int, Field("How many passages to answer from, at most.", ge=1, le=50, option="-n/--limit")] = 8
    profile: argument_types.ProfileName | None = None
    collections: argument_types.Collections = ()
    path_prefix: argument_types.PathPrefix | None = None
    uris: argument_types.Uris = ()
    heading_contains: argument_types.Heading | None = None
    tags_all: argument_types.AllTags = ()
    tags_any: argument_types.AnyTags = ()
    kinds: argument_types.Kinds = ()
    language: argument_types.Language | None = None
    where: argument_types.Where = ()
    modified_after: argument_types.Since | None = None
    modified_before: argument_types.Before | None = None
    budget: Annotated[
        int, Field("How long the passages in the prompt may be.", ge=200, le=200_000, metavar="TOKENS")
    ] = 3_000
    max_hops: Annotated[
        int | None,
        Field(
            "How many searches at most, where a model finds that something is missing. Where it is "
            "given, the model is asked of every question; else of questions that join several, up to 3.",
            ge=1,
            le=10,
        ),
    ] = None
    model: Annotated[
        argument_types.Name | None, Field("Another model of llm.models to answer with.", metavar="NAME")
    ] = None
    previous: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=20_000)], ...],
        Field(
            "A question of the conversation before this one, which may point back to it.",
            max_length=20,
            metavar="QUESTION",
        ),
    ] = ()
    show_context: Annotated[bool, Field("Show the prompt, and ask no model.")] = False
    explain: Annotated[bool, Field("Add what each stage of the search did.")] = False
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
