"""The sample vault is what the page beside it says: complete, consistent, and without its drafts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from octavo.sources.folder_scan import scan
from octavo.sources.ignore_rules import IgnoreRules
from octavo.sources.text_decoding import Decoded, read

VAULT = Path(__file__).parents[3] / "examples" / "vault"

pytestmark = pytest.mark.skipif(not VAULT.is_dir(), reason="the sample vault is not part of this checkout")


def notes() -> dict[str, str]:
    found = {}
    for file in scan(VAULT, IgnoreRules(frozenset({".md"}), max_bytes=100_000)).files:
        decoded = read(file.path, 100_000)
        assert isinstance(decoded, Decoded)
        assert decoded.warnings == ()
        found[file.uri] = decoded.text
    return found


def test_every_note_is_found_but_the_drafts() -> None:
    every = {path.relative_to(VAULT).as_posix() for path in VAULT.rglob("*.md")}
    drafts = {uri for uri in every if uri.startswith("drafts/")}
    assert drafts
    assert set(notes()) == every - drafts


def test_every_wikilink_leads_to_a_note_and_a_heading_in_it() -> None:
    by_name = {Path(uri).stem: text for uri, text in notes().items()}
    for uri, text in notes().items():
        for target, heading in re.findall(r"\[\[([^\]#|]+)(?:#([^\]|]+))?", text):
            assert target in by_name, f"{uri} links to {target}"
            assert not heading or re.search(rf"(?m)^#+ {re.escape(heading)}$", by_name[target]), f"{uri}: {heading}"


def test_the_page_beside_it_names_notes_that_exist() -> None:
    named = re.findall(r"`([^`]+\.md)`", (VAULT.parent / "README.md").read_text("utf-8"))
    assert len(named) >= 8
    assert set(named) <= set(notes())
