"""What a question takes."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.operations import fields


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A question, where to look for its answer, and how to write it."""

    question: Annotated[
        str,
        Field(min_length=1, max_length=20_000, argument="QUESTION...", description="What you want to know, in words."),
    ]
    mode: Annotated[
        str,
        Field(
            choices=("grounded", "insight"),
            description="grounded says only what passages say; insight also concludes, and says so.",
        ),
    ] = "grounded"
    limit: Annotated[
        int, Field(ge=1, le=50, option="-n/--limit", description="How many passages to answer from, at most.")
    ] = 8
    profile: fields.ProfileName | None = None
    collections: fields.Collections = ()
    path_prefix: fields.PathPrefix | None = None
    uris: fields.Uris = ()
    heading_contains: fields.Heading | None = None
    tags_all: fields.AllTags = ()
    tags_any: fields.AnyTags = ()
    kinds: fields.Kinds = ()
    language: fields.Language | None = None
    where: fields.Where = ()
    modified_after: fields.Since | None = None
    modified_before: fields.Before | None = None
    budget: Annotated[
        int, Field(ge=200, le=200_000, metavar="TOKENS", description="How long the passages in the prompt may be.")
    ] = 3_000
    max_hops: (
        Annotated[
            int,
            Field(
                ge=1,
                le=10,
                description="How many searches at most, where a model finds that something is missing. Where it is "
                "given, the model is asked of every question; else of questions that join several, up to 3.",
            ),
        ]
        | None
    ) = None
    model: (
        Annotated[
            str,
            Field(
                min_length=1, max_length=200, metavar="NAME", description="Another model of llm.models to answer with."
            ),
        ]
        | None
    ) = None
    previous: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=20_000)], ...],
        Field(
            max_length=20,
            metavar="QUESTION",
            description="A question of the conversation before this one, which may point back to it.",
        ),
    ] = ()
    show_context: Annotated[bool, Field(description="Show the prompt, and ask no model.")] = False
    explain: Annotated[bool, Field(description="Add what each stage of the search did.")] = False
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
