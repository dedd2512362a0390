"""A laptop without network, with a full disk, with a folder that cannot be written; a stick that is taken away."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest
from people import Person, vault

_OFFLINE = """
import socket, sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo") and arguments[0] is not None:
        family = getattr(arguments[0], "family", None)
        if event == "socket.getaddrinfo" or family in (socket.AF_INET, socket.AF_INET6):
            raise OSError(101, "Network is unreachable")

sys.addaudithook(refuse)
"""


def test_without_a_network_everything_works(alone: Person) -> None:
    blocked = alone.home / "blocked"
    blocked.mkdir()
    (blocked / "sitecustomize.py").write_text(_OFFLINE, "utf-8")
    offline = alone.with_settings(PYTHONPATH=str(blocked))
    assert offline.types("start", vault(alone.home / "Notes", only="people")).code == 0
    assert offline.hits("who has a key")[0]["uri"] == "people/Volunteers and keys.md"
    assert offline.types("ask", "how many keys are there?").code == 0
    assert offline.types("doctor").code == 0


def _small_disk() -> None:
    """Files of more than this many bytes cannot be written, which SQLite takes for a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


def test_a_full_disk_is_told_and_a_later_start_goes_on(alone: Person) -> None:
    notes = vault(alone.home / "Notes")
    full = alone.types("start", notes, limit=_small_disk)
    assert full.code not in (0, 70) and "hint:" in full.stderr
    assert alone.types("start", notes).code == 0
    assert alone.hits("who has a key")[0]["uri"] == "people/Volunteers and keys.md"
    assert alone.types("doctor").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="/sys is a folder that nobody may write to")
def test_a_folder_that_cannot_be_written_is_read_and_has_its_library_elsewhere(alone: Person) -> None:
    refused = alone.types("init", "--here", at=Path("/sys"))
    assert refused.code not in (0, 70)
    assert "no library can be made in /sys" in refused.stderr and "without --here" in refused.stderr
    notes = vault(alone.home / "Notes", only="people")
    notes.chmod(0o555)
    assert alone.types("start", notes).code == 0
    assert alone.hits("who has a key")[0]["uri"] == "people/Volunteers and keys.md"
    notes.chmod(0o755)


def test_notes_on_a_stick_that_is_taken_away_are_kept_until_it_is_back(alone: Person) -> None:
    stick, away = alone.home / "stick", alone.home / "away"
    stick.mkdir()
    alone.types("start", vault(stick / "Notes", only="people"))
    stick.rename(away)
    missing = alone.types("index")
    assert missing.code not in (0, 70) and "what was indexed from it is kept" in missing
    assert alone.hits("who has a key")[0]["uri"] == "people/Volunteers and keys.md"
    assert "is not there" in alone.types("doctor")
    away.rename(stick)
    back = alone.types("index")
    assert " unchanged" in back and " added" not in back and " removed" not in back


def test_a_library_on_a_stick_that_is_taken_away_is_named_and_not_made_anew(alone: Person) -> None:
    stick, away = alone.home / "stick", alone.home / "away"
    stick.mkdir()
    vault(stick / "Notes", only="people")
    with_stick = alone.with_settings(OCTAVO_LIBRARY=str(stick / "library.db"))
    with_stick.types("start", stick / "Notes")
    stick.rename(away)
    refused = with_stick.types("search", "who has a key")
    assert refused.code not in (0, 1, 70) and str(stick) in refused.stderr and "hint:" in refused.stderr
    assert not stick.exists()
    away.rename(stick)
    assert with_stick.hits("who has a key")[0]["uri"] == "people/Volunteers and keys.md"
