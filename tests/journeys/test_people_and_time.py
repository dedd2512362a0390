"""What is kept over time and shared: memories from day to day, a team's library, an upgrade."""

from __future__ import annotations

import gzip
import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from people import ROOT, Person, vault

BEFORE = ROOT / "tests" / "golden" / "formats"


def test_a_memory_is_kept_corrected_forgotten_and_brought_back(person: Person) -> None:
    person.types("init")
    kept = person.types("remember", "The deploy key is rotated every March", "--kind", "fact", "--json").json
    again = person.types("remember", "The deploy key is rotated every March", "--json").json
    assert again["item"] == kept["item"], "the same text is not remembered twice"
    person.types("remember", "Ann has the key of the shed", "--kind", "fact")
    recalled = person.types("recall", "when is the deployment's key rotated", "--json").json
    assert recalled["memories"][0]["item"] == kept["item"]

    changed = person.types("memory", "commit", "The deploy key is rotated every April", "--item", kept["item"])
    assert changed.code == 0, changed.stderr
    past = person.types("memory", "diff", kept["item"])
    assert "March" in past and "April" in past

    assert "every April" in person.types("forget", "deploy key")
    assert "deploy key" not in person.types("recall", "when is the deploy key rotated")
    assert person.types("memory", "restore", kept["item"], "2").code == 0
    assert "every April" in person.types("recall", "when is the deploy key rotated")


def test_a_team_searches_what_one_of_them_has_indexed(person: Person, tmp_path: Path) -> None:
    person.types("start", vault(person.home / "Notes", only="people"))
    if "OCTAVO_LIBRARY" in person.environ:
        colleague = Person.arrived(person.programs, tmp_path / "colleague").with_settings(
            OCTAVO_LIBRARY=person.environ["OCTAVO_LIBRARY"]
        )
        assert colleague.hits("who has a key")[0]["uri"] == "people/Volunteers and keys.md"
    with person.serving() as (address, token):
        body = json.dumps({"query": "who has a key", "limit": 3}).encode()
        about = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        asked = urllib.request.Request(f"{address}/v1/search", body, about)
        with urllib.request.urlopen(asked, timeout=120) as answer:
            assert json.load(answer)["hits"][0]["uri"] == "people/Volunteers and keys.md"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(urllib.request.Request(f"{address}/v1/search", body, {}), timeout=120)


def test_a_library_of_the_release_before_opens_and_answers(alone: Person) -> None:
    (old,) = BEFORE.glob("library-schema-*.db.gz")
    library = alone.home / "library.db"
    library.write_bytes(gzip.decompress(old.read_bytes()))
    alone = alone.with_settings(OCTAVO_LIBRARY=str(library))
    assert alone.types("status", "--json").json["documents"] == 3
    assert alone.hits("pump")[0]["uri"] == "pump.md"
    begun = alone.types("start", vault(alone.home / "Notes", only="people"))
    assert re.search(r"Notes: \d+ added", begun.stdout)
    assert "what was indexed from it is kept" in begun, "the folder of the old library is not on this machine"
    assert alone.hits("who has a key")[0]["uri"] == "people/Volunteers and keys.md"
    assert alone.hits("pump")[0]["uri"] == "pump.md"
