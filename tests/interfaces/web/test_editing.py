"""Sections edited in the browser: the box has the file's own lines, and keys in them stay what they are."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import quote, urlencode

import httpx2
import pytest
from cli_calls import Octavo, Vault
from http_calls import in_process
from secret_tokens import TOKENS

from octavo.config.schema import Serve
from octavo.note_editing.note_redaction import WITHHELD_CHANGES
from octavo.sources.secret_redaction import MARK

TOKEN = "0123456789abcdef0123"
READ = {"accept": "text/html", "authorization": f"Bearer {TOKEN}"}
FORM = {"content-type": "application/x-www-form-urlencoded", **READ}
KEY = TOKENS["GitHub token"]
NOTE = f"Plans\n=====\n\nDig.\n\nThe\nkeys\n----\n\nThe key is {KEY} until May.\nIt rains.\n\n### Below\n\nx\n"
ADDRESS = "/edit/notes/plans.md"
KEYS = quote("Plans\nThe keys")


@pytest.fixture
def writable(octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    folder, library = tmp_path / "notes", tmp_path / "library.db"
    folder.mkdir()
    (folder / "plans.md").write_bytes(NOTE.encode())
    monkeypatch.setenv("OCTAVO_LIBRARY", str(library))
    for arguments in (("init",), ("add", str(folder), "--name", "notes", "--writable"), ("index",)):
        assert octavo(*arguments).exit_code == 0
    return Vault(folder, library)


class Box:
    """The form of a section, as a browser would send it back."""

    def __init__(self, page: httpx2.Response) -> None:
        assert page.status_code == 200, page.text
        box = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page.text, re.DOTALL)
        seen = re.search(r'name="hash" value="(\w+)"', page.text)
        path = re.search(r'name="path" value="([^"]*)"', page.text)
        assert box and seen and path
        self.text, self.hash, self.path = html.unescape(box[1]), seen[1], html.unescape(path[1])

    def sent(self, text: str, action: str) -> str:
        content = text.replace("\n", "\r\n")
        return urlencode({"path": self.path, "hash": self.hash, "content": content, "action": action})


def test_an_edit_is_offered_only_where_it_can_be_written(octavo: Octavo, writable: Vault) -> None:
    (writable.folder / "page.html").write_text("<h1>Page</h1><p>Made by a program.</p>")
    (other := writable.folder.parent / "other").mkdir()
    (other / "read.md").write_text("# Read\n\nOnly read this.\n")
    octavo("add", str(other), "--name", "other")
    octavo("index")

    async def talk(client: httpx2.AsyncClient) -> None:
        pages = [
            (await client.get(f"/document/{place}", headers=READ)).text
            for place in ("notes/plans.md", "notes/page.html", "other/read.md")
        ]
        assert [("edit-link" in page, 'class="outline"' in page) for page in pages] == [
            (True, True),
            *[(False, True)] * 2,
        ]

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)


def test_a_line_is_changed_beside_a_key_that_stays(writable: Vault) -> None:
    note = writable.folder / "plans.md"

    async def talk(client: httpx2.AsyncClient) -> None:
        page = await client.get(f"{ADDRESS}?path={KEYS}", headers=READ)
        assert KEY not in page.text
        box = Box(page)
        assert box.text == f"The key is {MARK * len(KEY)} until May.\nIt rains."
        changed = box.text.replace("It rains.", "It snows.")
        shown = await client.post(ADDRESS, content=box.sent(changed, "preview"), headers=FORM)
        assert "+It snows." in shown.text and WITHHELD_CHANGES not in shown.text and KEY not in shown.text
        saved = await client.post(ADDRESS, content=box.sent(changed, "save"), headers=FORM)
        assert saved.status_code == 303
        assert note.read_bytes() == NOTE.replace("rains", "snows").encode()
        box = Box(await client.get(f"{ADDRESS}?path={KEYS}", headers=READ))
        later = box.text.replace("May", "June")
        shown = await client.post(ADDRESS, content=box.sent(later, "preview"), headers=FORM)
        assert WITHHELD_CHANGES in shown.text
        assert (await client.post(ADDRESS, content=box.sent(later, "save"), headers=FORM)).status_code == 303
        assert f"The key is {KEY} until June." in note.read_text("utf-8")

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)


def test_marks_that_cannot_be_told_from_the_key_are_refused_by_name(writable: Vault) -> None:
    note = writable.folder / "plans.md"

    async def talk(client: httpx2.AsyncClient) -> None:
        box = Box(await client.get(f"{ADDRESS}?path={KEYS}", headers=READ))
        for action in ("preview", "save"):
            for text in (f"The key is {MARK * 5}.", box.text.replace(f" {MARK}", f" x{MARK}")):
                cut = await client.post(ADDRESS, content=box.sent(text, action), headers=FORM)
                assert (cut.status_code, "GitHub token on line 10" in cut.text, KEY in cut.text) == (400, True, False)
        assert note.read_bytes() == NOTE.encode()

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)


def test_a_setext_heading_is_edited_and_a_file_that_is_newer_than_the_index_too(writable: Vault) -> None:
    note = writable.folder / "plans.md"
    note.write_bytes(NOTE.replace("Dig.", "Dig deep.").encode())

    async def talk(client: httpx2.AsyncClient) -> None:
        box = Box(await client.get(f"{ADDRESS}?path=Plans", headers=READ))
        assert box.text == "Dig deep."
        saved = await client.post(ADDRESS, content=box.sent("Dig deeper.", "save"), headers=FORM)
        assert saved.status_code == 303
        assert note.read_bytes() == NOTE.replace("Dig.", "Dig deeper.").encode()

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)
