"""Whether a passage of code tests or shows a thing, or stands in a header or stub that only declares it."""

from __future__ import annotations

from octavo.lazy_regex import regex
from octavo.model.chunk import ContentType
from octavo.model.document import Kind
from octavo.model.search_result import Candidate

_PROSE_KINDS = frozenset({Kind.NOTE, Kind.DOC})
_TEST_FILE = regex(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|testdata|examples?|demos?|benchmarks?|fixtures)/|(?:^|/)test_[^/]+$"
    r"|(?:^|[/._-])(?:tests?|specs?|examples?)\.\w+$|(?:Test|Tests|Spec)\.\w+$|(?:^|/)conftest\.py$"
)
_HEADER = regex(r"\.(?:h|hh|hpp|hxx|pyi|mli)$|\.d\.[cm]?ts$")


def is_use(candidate: Candidate) -> bool:
    """Whether a passage uses a thing to test it or to show how: also a code block in a note."""
    shown = candidate.kind in _PROSE_KINDS and candidate.content_type == ContentType.CODE
    return shown or _TEST_FILE.search(candidate.uri) is not None


def is_header(candidate: Candidate) -> bool:
    """Whether it stands in a file that says what there is, and not what it does."""
    return _HEADER.search(candidate.uri) is not None
