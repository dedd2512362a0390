"""What an error tells programs: the keys that its code promises, and what the system said."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from octavo import errors


def kinds(kind: type[errors.OctavoError]) -> list[type[errors.OctavoError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in kinds(child))]


PROMISED = {
    "INVALID_ARGUMENT": {"field", "value", "reason", "valid_options"},
    "NOT_FOUND": {"uri", "heading_path", "near", "sections"},
    "INDEX_BUSY": {"started_at"},
    "INDEX_CORRUPT": {"snapshot", "reason", "missing_files"},
    "IO_ERROR": {"path", "operation", "errno"},
}


@pytest.mark.parametrize("kind", kinds(errors.OctavoError))
def test_every_error_has_the_details_that_its_code_promises(kind: type[errors.OctavoError]) -> None:
    assert set(kind("a message").details) == PROMISED.get(kind.code, set())
    assert kind("a message", details={"more": 1}).details["more"] == 1


def test_an_error_of_the_system_is_told_by_its_number_and_path(tmp_path: Path) -> None:
    gone = tmp_path / "gone.md"
    with pytest.raises(errors.SourceError) as caught:
        try:
            gone.read_bytes()
        except OSError as error:
            raise errors.SourceError("it cannot be read") from error
    assert caught.value.details == {"path": str(gone), "operation": "read", "errno": errno.ENOENT}


def test_the_reason_of_a_refusal_is_its_message_unless_another_is_said() -> None:
    assert errors.InvalidArgument("it is odd").details["reason"] == "it is odd"
    assert errors.no_such_choice("mode", "mode", "loud", ["quiet"]).details == {
        "field": "mode",
        "value": "loud",
        "reason": "there is no mode loud",
        "valid_options": ["quiet"],
    }
