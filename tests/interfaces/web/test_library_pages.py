"""Pages about the library, and changes from the page where the server allows them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from cli_calls import Octavo, Vault, write_vault
from http_calls import in_process
from library_places import Databases

from octavo.config.schema import Serve
from octavo.errors import ConfigurationError
from octavo.interfaces.serving.http_listener import read_token
from octavo.interfaces.web.document_pages import heading_paths
from octavo.interfaces.web.library_pages import drawing
from octavo.operations.reading.results import OutlineSection

HTML = {"accept": "text/html"}
TOKEN = "0123456789abcdef0123"
WITH_TOKEN = {"accept": "text/html", "authorization": f"Bearer {TOKEN}"}
OLD = {"accept": "text/html", "cookie": "octavo_session_7411=old"}
FORM = {"content-type": "application/x-www-form-urlencoded", **WITH_TOKEN}


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/ask", "A question"),
        ("/collection/notes", "garden/apples.md"),
        ("/project/default", "notes"),
        ("/jobs", "Jobs"),
        ("/settings", "retrieval.limit"),
        ("/models", "Embedding profiles"),
        ("/graph", "Communities"),
        ("/map", "octavo cluster build"),
        ("/evaluation", "Nothing has been measured yet"),
    ],
)
def test_every_thing_has_a_page(vault: Vault, path: str, shown: str) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        answer = await client.get(path, headers=HTML)
        assert answer.status_code == 200
        assert shown in answer.text
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert not re.search(r"<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=", answer.text)

    in_process(vault.library, talk)


@pytest.mark.parametrize("path", ["/?q=oven", "/results?q=oven", "/trace?q=oven", "/graph", "/map", "/ask"])
def test_a_library_with_nothing_in_it_says_what_to_do_and_warns_of_nothing(
    octavo: Octavo, tmp_path: Path, path: str
) -> None:
    assert octavo("init", "--library", tmp_path / "empty.db").exit_code == 0

    async def talk(client: httpx2.AsyncClient) -> None:
        asked = (
            client.post(path, data={"q": "oven"}, headers=HTML) if path == "/ask" else client.get(path, headers=HTML)
        )
        page = (await asked).text
        assert re.search(r'class="empty[^>]*>.*<code>octavo ', page, re.DOTALL)
        assert 'class="note warn"' not in page

    in_process(tmp_path / "empty.db", talk)


def test_the_page_of_a_collection_lists_documents_below_their_folders(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/collection/notes", headers=HTML)).text
        assert re.findall(r"<h3>(\w+) |>([\w.]+\.md)</a>", page) == [
            ("", "bread.md"),
            ("", "tokyo.md"),
            ("garden", ""),
            ("", "apples.md"),
        ]

    in_process(vault.library, talk)


def test_the_card_of_a_model_is_rendered_and_facts_that_nobody_knows_are_left_out(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/model/octavo-encoder-2", headers=HTML)).text
        assert '<h2 id="h-card">Card</h2>' in page and "<li>Licence: Apache-2.0" in page
        assert "<dt>Made</dt>" not in page and "# octavo-encoder-2" not in page

    in_process(vault.library, talk)


@pytest.mark.parametrize("path", ["/collection/nowhere", "/project/nowhere", "/job/999", "/model/nowhere"])
def test_what_is_not_there_is_a_page_too(vault: Vault, path: str) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        answer = await client.get(path, headers=HTML)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")

    in_process(vault.library, talk)


def test_a_drawing_keeps_the_most_linked_nodes_and_the_lines_between_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("octavo.interfaces.web.library_pages.MOST_ROWS", 2)
    nodes = [
        {"id": name, "label": name.upper(), "kind": "document", "degree": degree}
        for name, degree in (("a", 2), ("b", 1), ("c", 3))
    ]
    links = [{"source": "a", "target": "c", "type": "link"}, {"source": "b", "target": "c", "type": "link"}]
    drawn = drawing({"nodes": nodes, "links": [*links, links[0]]})
    assert [node[0] for node in drawn["nodes"]] == ["C", "A"]
    assert (drawn["edges"], drawn["leftOut"]) == ([[1, 0, "link", 2]], 1)


def test_titles_in_a_drawing_cannot_leave_it(octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# </pre><script>alert(1)</script>\n\n[[b]]\n", "utf-8")
    (tmp_path / "notes" / "b.md").write_text("# B\n", "utf-8")
    library = tmp_path / "library.db"
    monkeypatch.setenv("OCTAVO_LIBRARY", str(library))
    for arguments in (("init",), ("add", str(tmp_path / "notes"), "--name", "notes"), ("index",)):
        assert octavo(*arguments).exit_code == 0

    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/graph", headers=HTML)).text
        assert "<script>alert" not in page
        data = re.search(r'<pre id="data" hidden>(.*?)</pre>', page, re.DOTALL)
        assert data is not None
        assert json.loads(data[1].replace("&#34;", '"').replace("&lt;", "<").replace("&gt;", ">"))["nodes"]

    in_process(library, talk)


def test_a_memory_leads_to_what_it_is_linked_with(
    octavo: Octavo, vault: Vault, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = databases.copy(vault.library)
    monkeypatch.setenv("OCTAVO_LIBRARY", str(library))
    kept = octavo("--json", "memory", "commit", "Prune early. See [[apples]].", "--link", "notes/bread.md")
    item = json.loads(kept.stdout)["item"]

    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get(f"/memory/{item}", headers=HTML)).text
        assert '<a href="/find?name=notes/bread.md">notes/bread.md</a>' in page
        assert 'href="/find?name=apples"' in page
        found = await client.get("/find?name=notes/bread.md", headers=HTML)
        assert found.headers["location"] == "/document/notes/bread.md"

    in_process(library, talk)


def test_sections_are_named_from_the_root() -> None:
    levels = [("A", 1), ("B", 2), ("C", 3), ("D", 2)]
    sections = [OutlineSection(title, level, title, 1, 1) for title, level in levels]
    assert heading_paths(sections) == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")]


def test_a_page_that_changes_things_needs_a_token() -> None:
    with pytest.raises(ConfigurationError, match="token"):
        read_token(Serve(write=True, require_token=False))


def test_without_write_nothing_is_offered_and_nothing_is_done(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert "Remember something" not in (await client.get("/memories", headers=WITH_TOKEN)).text
        assert (await client.post("/change/reindex", headers=FORM)).status_code == 404

    in_process(vault.library, talk, token=TOKEN)


def test_a_file_is_opened_by_the_addresses_of_the_configuration(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/document/notes/bread.md?lines=3-3", headers=HTML)).text
        assert f'href="vscode://file{quote(str(vault.folder / "bread.md"))}:3">VS Code</a>' in page

    in_process(vault.library, talk, settings=Serve(open_with=("VS Code=vscode://file{path}:{line}",)))


@pytest.fixture
def writable(octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vault:
    folder, library = write_vault(tmp_path / "notes"), tmp_path / "library.db"
    monkeypatch.setenv("OCTAVO_LIBRARY", str(library))
    for arguments in (("init",), ("add", str(folder), "--name", "notes", "--writable"), ("index",)):
        assert octavo(*arguments).exit_code == 0
    return Vault(folder, library)


def test_settings_are_described_and_only_those_about_searching_are_changed(writable: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        async def limit() -> str:
            page = (await client.get("/settings", headers=WITH_TOKEN)).text
            assert "embedding.model" in page and "`" not in page
            assert all(name.startswith("retrieval.") for name in re.findall(r'name="name" value="([^"]+)"', page))
            return re.findall(r'name="value" value="(\d+)"[^>]*aria-label="retrieval.limit"', page)[0]

        async def change(name: str, value: str) -> httpx2.Response:
            return await client.post("/change/setting", content=f"name={name}&value={quote(value)}", headers=FORM)

        assert (await client.post("/change/setting", content="name=retrieval.limit&value=7")).status_code == 401
        assert (await change("retrieval.limit", "7")).headers["location"] == "/settings#retrieval.limit"
        assert await limit() == "7"
        for name, value in (("retrieval.limit", "none"), ("library", "/tmp/other.db"), ("nonsense", "1")):
            assert (await change(name, value)).status_code >= 400
        assert await limit() == "7"
        await change("retrieval.limit", "")
        assert await limit() == "10"

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)


def test_something_is_remembered_pinned_and_forgotten_from_the_page(writable: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.post("/change/remember", content="text=x")).status_code == 401
        kept = await client.post("/change/remember", content="title=Oven&text=The+oven+runs+hot.", headers=FORM)
        assert kept.status_code == 303
        place = kept.headers["location"]
        assert "The oven runs hot." in (await client.get(place, headers=WITH_TOKEN)).text
        item = place.rpartition("/")[2]
        await client.post(f"/change/memory/{item}", content="action=pin", headers=FORM)
        assert "Unpin" in (await client.get(place, headers=WITH_TOKEN)).text
        assert (await client.post(f"/change/memory/{item}", content="action=eat", headers=FORM)).status_code == 400
        await client.post(f"/change/memory/{item}", content="action=forget", headers=FORM)
        assert "Oven" not in (await client.get("/memories", headers=WITH_TOKEN)).text
        forgotten = (await client.get(place, headers=WITH_TOKEN)).text
        assert ("Its history stays here" in forgotten, "/change/memory" in forgotten) == (True, False)

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)


def test_a_form_that_is_older_than_the_token_says_where_to_give_it(writable: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        late = await client.post("/change/remember", content="text=x", headers=OLD)
        assert (late.status_code, late.headers["content-type"]) == (401, "text/html; charset=utf-8")
        assert 'href="/login"' in late.text

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)


def test_a_section_is_changed_once_its_difference_was_shown(writable: Vault) -> None:
    note = writable.folder / "garden" / "apples.md"
    address = "/edit/notes/garden/apples.md"
    path = quote("Apple trees\nWatering")

    async def talk(client: httpx2.AsyncClient) -> None:
        form = await client.get(f"{address}?path={path}", headers=WITH_TOKEN)
        assert "A young tree needs two buckets" in form.text
        above = (await client.get(f"{address}?path={quote('Apple trees')}", headers=WITH_TOKEN)).text
        assert "<textarea" in above
        assert "two buckets" not in above  # below a heading of its own: saved here, it would stand twice
        assert "Write the file" not in form.text
        seen = re.search(r'name="hash" value="(\w+)"', form.text)
        assert seen is not None
        body = f"path={path}&hash={seen[1]}&content=Rain+is+enough."
        shown = await client.post(address, content=f"{body}&action=preview", headers=FORM)
        assert "+Rain is enough." in shown.text
        assert "two buckets" in note.read_text("utf-8")
        saved = await client.post(address, content=f"{body}&action=save", headers=FORM)
        assert saved.status_code == 303
        assert "Rain is enough." in note.read_text("utf-8")
        note.write_text(note.read_text("utf-8").replace("Rain is", "Snow is"), "utf-8")
        again = await client.post(address, content=f"{body}&action=save", headers=FORM)
        assert again.status_code == 409
        assert "The file was changed meanwhile" in again.text
        assert "-Snow is enough." in again.text
        assert "Snow is enough." in note.read_text("utf-8")
        assert "Snow is enough." in (await client.get(f"{address}?path={path}", headers=WITH_TOKEN)).text

    in_process(writable.library, talk, settings=Serve(write=True), token=TOKEN)
