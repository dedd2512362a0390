"""What operations take, in words every interface shows: a description and a limit for each kind of argument.

A limit keeps one request from costing what a thousand do. `None` means that the caller did not say.
"""

from __future__ import annotations

from typing import Annotated

from recto.model.document import Kind
from recto.model.limits import Field
from recto.retrieval.profiles import PROFILES

DEFAULT_TOKENS = 4_000
_LEAP = "([12][0-9](0[48]|[2468][048]|[13579][26])|(12|16|20|24|28)00)-02-29"
_DAYS = "(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31"
_DAY = f"([12][0-9]{{3}}-((0[1-9]|1[0-2])-{_DAYS})|{_LEAP})"
_HOUR = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?"
TIME = f"^([0-9]{{1,4}} ?[hdwmy]|{_DAY}([T ]{_HOUR})?)$"
"""A date there is, a time, or an age."""
TIMES = "write 2024-05-01, a full ISO time, or an age such as 36h, 7d, 2w, 3m, 1y"

Name = Annotated[str, Field(min_length=1, max_length=200)]
Place = Annotated[str, Field(min_length=1, max_length=4_096)]
KindName = Annotated[str, Field(json_schema_extra={"enum": [kind.value for kind in Kind]})]

QueryText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=20_000,
        description='A question or words; also "phrase", -word, begin*, tag:, path:, title:, kind:, in:.',
    ),
]
Limit = Annotated[int, Field(ge=1, le=1_000, description="How many hits at most.")]
ProfileName = Annotated[str, Field(description="The retrieval profile.", json_schema_extra={"enum": sorted(PROFILES)})]
Collections = Annotated[tuple[Name, ...], Field(max_length=100, description="Only these collections.")]
PathPrefix = Annotated[str, Field(max_length=4_096, description="Only documents whose uri starts so.")]
Uris = Annotated[tuple[Place, ...], Field(max_length=200, description="Only these documents.")]
Heading = Annotated[str, Field(max_length=1_000, description="Only below headings that contain this.")]
AllTags = Annotated[tuple[Name, ...], Field(max_length=50, description="Only with all of these tags.")]
AnyTags = Annotated[tuple[Name, ...], Field(max_length=50, description="Only with one of these tags.")]
Kinds = Annotated[tuple[KindName, ...], Field(max_length=6, description="Only these kinds.")]
Language = Annotated[str, Field(min_length=1, max_length=50, description="Only in this programming language.")]
Since = Annotated[str, Field(pattern=TIME, description="Only modified since: 2024-05-01, or an age: 36h 7d 2w 3m 1y.")]
Before = Annotated[str, Field(pattern=TIME, description="Only modified before.")]
ExcerptChars = Annotated[int, Field(ge=1, le=1_000_000, description="Cut excerpts after so many characters.")]
Reference = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4_096,
        description="uri, uri:10-20 (lines), uri#anchor or uri#Heading (a section), or a chunk id from a search.",
    ),
]
DocumentReference = Annotated[str, Field(min_length=1, max_length=4_096, description="The document's uri or id.")]
InCollection = Annotated[str, Field(min_length=1, max_length=200, description="Where, if several have this uri.")]
LinesAround = Annotated[int, Field(ge=0, le=10_000)]
MaxTokens = Annotated[
    int, Field(ge=500, le=100_000, description="How long the answer may be; the rest comes with its cursor.")
]
Cursor = Annotated[str, Field(max_length=200, description="next_cursor of the answer before, to read on.")]
