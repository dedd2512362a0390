"""Types of operation arguments, each with the description and the limit that every interface shows.

A limit keeps one request from costing what a thousand do. `None` means that the caller did not say.
"""

from __future__ import annotations

from typing import Annotated

from octavo.algorithms.text.time_parsing_and_formatting import TIME_FORMS, TIME_IN_WORDS
from octavo.fast_dataclass import Value
from octavo.model.chunk import ContentType
from octavo.model.document import Kind
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.query import Matching

DEFAULT_TOKENS = 4_000
UNLIMITED = 1 << 40
_LEAP = "([12][0-9](0[48]|[2468][048]|[13579][26])|(12|16|20|24|28)00)-02-29"
_DAYS = "(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31"
_DAY = f"([12][0-9]{{3}}-((0[1-9]|1[0-2])-{_DAYS})|{_LEAP})"
_HOUR = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?"
TIME = f"^([0-9]{{1,4}} ?[hdwmy]|{TIME_IN_WORDS}|[12][0-9]{{3}}(-(0[1-9]|1[0-2]))?|{_DAY}([T ]{_HOUR})?)$"
"""A date there is, a month, a time, an age, or one of these in words."""
TIMES = f"write {TIME_FORMS}"


def _profiles() -> list[str]:
    from octavo.retrieval.profiles_by_name import PROFILES

    return sorted(PROFILES)


Name = Annotated[str, Field(min_length=1, max_length=200)]
Place = Annotated[str, Field(min_length=1, max_length=4_096)]
KindName = Annotated[str, Field(choices=[kind.value for kind in Kind])]

_QUERY_SYNTAX = (
    'A question or words; "phrase", -word, begin*, AND, OR, NOT, tag:, path:, title:, kind:, in:, after:, before:.'
)
QueryText = Annotated[str, Field(_QUERY_SYNTAX, min_length=1, max_length=20_000, argument="QUERY...")]
QueryOrNothing = Annotated[str, Field(_QUERY_SYNTAX, max_length=20_000, argument="QUERY...")]
"""A query that may be empty, where filters alone say what to list."""
Limit = Annotated[int, Field("How many hits at most.", ge=1, le=1_000, option="-n/--limit")]
ProfileName = Annotated[
    str, Field("The retrieval profile.", option="-p/--profile", complete="profiles", choices=_profiles)
]
Collections = Annotated[
    tuple[Name, ...], Field("Only these collections.", max_length=100, option="-c/--collection", complete="collections")
]
PathPrefix = Annotated[
    str, Field("Only documents whose uri starts so.", max_length=4_096, option="--path", metavar="PREFIX")
]
Uris = Annotated[tuple[Place, ...], Field("Only these documents.", max_length=200, option="--uri", complete="uris")]
Heading = Annotated[str, Field("Only below headings that contain this.", max_length=1_000, option="--heading")]
AllTags = Annotated[tuple[Name, ...], Field("Only with all of these tags.", max_length=50, option="--tag")]
AnyTags = Annotated[tuple[Name, ...], Field("Only with one of these tags.", max_length=50, option="--any-tag")]
Kinds = Annotated[tuple[KindName, ...], Field("Only these kinds.", max_length=7, option="--kind")]
Language = Annotated[str, Field("Only in this programming language.", min_length=1, max_length=50, metavar="NAME")]
ContentTypes = Annotated[
    tuple[Annotated[str, Field(choices=[kind.value for kind in ContentType])], ...],
    Field("Only passages of these types.", max_length=7, option="--content"),
]
Matched = Annotated[
    tuple[Annotated[str, Field(choices=[way.value for way in Matching])], ...],
    Field("Only what was found so.", max_length=5),
]
Where = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=500)], ...],
    Field(
        "Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.",
        max_length=20,
        metavar="CONDITION",
    ),
]
MinScore = Annotated[float, Field("Least score of a hit, its relevance.", ge=0, le=1, metavar="SCORE")]
Since = Annotated[
    str,
    Field(
        "Only modified since: 2024-05-01, yesterday, or an age: 7d 2w 3m 1y.",
        pattern=TIME,
        option="--after",
        metavar="TIME",
    ),
]
Before = Annotated[str, Field("Only modified before.", pattern=TIME, option="--before", metavar="TIME")]
AsOf = Annotated[
    str,
    Field(
        "As the documents were then: 2025-03-01, or an age such as 3m.", pattern=TIME, option="--as-of", metavar="TIME"
    ),
]
Version = Annotated[int, Field(ge=1, le=1_000_000_000, metavar="N")]
ExcludedFile = Annotated[Place, Field("Leave out the document with this uri.", complete="uris")]
ExcerptChars = Annotated[
    int, Field("Cut excerpts after so many characters.", ge=1, le=1_000_000, option="--max-chars", metavar="N")
]
Reference = Annotated[
    Place,
    Field(
        "uri or name, uri:10-20 (lines), uri#anchor or uri#Heading (a section), or a chunk id.",
        argument="REF",
        complete="uris",
    ),
]
DocumentReference = Annotated[
    Place, Field("The document's uri, name, alias or id.", argument="DOCUMENT", complete="uris")
]
InCollection = Annotated[
    Name, Field("Where, if several have this uri.", option="-c/--collection", complete="collections")
]
LinesAround = Annotated[int, Field(ge=0, le=10_000)]
MaxTokens = Annotated[
    int,
    Field(
        "How long the answer may be; the rest comes with its cursor.", ge=500, le=100_000, option=None, local=UNLIMITED
    ),
]
Cursor = Annotated[str, Field("next_cursor of the answer before, to read on.", max_length=200, option=None)]


class NoArguments(Value):
    """The request of an operation that is asked for nothing in particular."""
