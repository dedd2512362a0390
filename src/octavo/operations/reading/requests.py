"""Requests of the reading operations: get, diff, list, recent, outline, inspect, tags."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types


class GetRequest(Value):
    reference: argument_types.Reference
    collection: argument_types.InCollection | None = None
    before: Annotated[
        argument_types.LinesAround, Field("So many lines before it as well.", option="-B/--before", metavar="N")
    ] = 0
    after: Annotated[
        argument_types.LinesAround, Field("So many lines after it as well.", option="-A/--after", metavar="N")
    ] = 0
    page: Annotated[int | None, Field("Only this page or slide of a document that has them.", ge=1, metavar="N")] = None
    version: Annotated[
        argument_types.Version | None, Field("As this version had it; `octavo history` numbers them.")
    ] = None
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


class DiffRequest(Value):
    reference: argument_types.DocumentReference
    from_version: Annotated[
        argument_types.Version | None, Field("The older one; else the one before.", option="--from")
    ] = None
    to_version: Annotated[argument_types.Version | None, Field("The newer one; else the last.", option="--to")] = None
    collection: argument_types.InCollection | None = None
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS


class GetManyRequest(Value):
    references: Annotated[
        tuple[argument_types.Place, ...],
        Field(
            "What to read: references as of get, or globs over uris such as notes/**/*.md.",
            min_length=1,
            max_length=200,
            argument="REF...",
            complete="uris",
        ),
    ]
    collection: argument_types.InCollection | None = None
    where: Annotated[argument_types.Where, Field("Of what a glob names, only where a property meets it.")] = ()
    token_budget: Annotated[
        int, Field("Tokens of text in all; documents are cut to share them.", ge=100, le=100_000, metavar="N")
    ] = 8_000


class ListDocumentsRequest(Value):
    path_prefix: argument_types.PathPrefix | None = None
    collections: argument_types.Collections = ()
    kinds: argument_types.Kinds = ()
    where: argument_types.Where = ()
    keys: Annotated[bool, Field("The properties that documents have, with their values.")] = False
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


class RecentRequest(Value):
    limit: Annotated[int, Field("How many documents at most.", ge=1, le=100, option="-n/--limit")] = 10


class OutlineRequest(Value):
    reference: argument_types.DocumentReference
    collection: argument_types.InCollection | None = None
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


class InspectRequest(Value):
    reference: Annotated[
        argument_types.Place, Field("Its path, uri, name, alias or id.", argument="FILE", complete="uris")
    ]
    query: Annotated[str, Field("Where each passage ranks for it.", max_length=20_000, argument="QUERY...")] = ""
    collection: argument_types.InCollection | None = None
    profile: argument_types.ProfileName | None = None


class DocTagsRequest(Value):
    """Ids that are not in the library are left out of the answer."""

    document_ids: Annotated[tuple[str, ...], Field("Ids as searches give them.", max_length=1_000)]
