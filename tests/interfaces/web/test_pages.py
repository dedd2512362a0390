"""What the pages show, and that nothing in a library can make them do anything else."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest
from cli_calls import Location, Octavo, Vault
from http_calls import in_process, running
from library_places import Databases
from starlette.requests import Request
from starlette.responses import Response

from octavo.errors import NotFound
from octavo.interfaces.http.server_sent_events import while_wanted
from octavo.interfaces.web.code_diffs_and_messages_as_html import code, sentence
from octavo.interfaces.web.document_addresses import DocumentPlace
from octavo.interfaces.web.markdown_to_html import inline, markdown
from octavo.interfaces.web.search_pages import query_examples

HTML = {"accept": "text/html"}


@pytest.mark.parametrize("path", ["/", "/library", "/memories", "/docs", "/?q=sourdough", "/trace?q=sourdough"])
def test_every_page_answers_with_a_policy_that_allows_nothing_from_elsewhere(vault: Vault, path: str) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        answer = await client.get(path, headers=HTML)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", answer.text)
        assert not re.search(r"<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=", answer.text)

    in_process(vault.library, talk)


def test_a_hit_leads_to_its_lines_and_the_words_asked_for_are_marked(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/?q=sourdough", headers=HTML)).text
        assert "<mark>" in page
        link = re.search(r'class="open" href="([^"]+bread\.md[^"]*)"', page)
        assert link is not None
        document = await client.get(link[1].replace("&amp;", "&"), headers=HTML)
        assert document.status_code == 200
        assert 'id="cited"' in document.text

    in_process(vault.library, talk)


def test_ten_passages_are_shown_and_more_to_who_asks(
    octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, library = tmp_path / "notes", tmp_path / "library.db"
    notes.mkdir()
    for number in range(14):
        (notes / f"{number}.md").write_text(f"Rye bread number {number}, baked slowly.\n", "utf-8")
    monkeypatch.setenv("OCTAVO_LIBRARY", str(library))
    for arguments in (("init",), ("add", str(notes), "--name", "notes"), ("index",)):
        assert octavo(*arguments).exit_code == 0

    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/results?q=rye+bread")).text
        assert page.count('class="hit"') == 10
        link = re.search(r'class="further"><a href="([^"]+)"', page)
        assert link is not None
        further = (await client.get(link[1].replace("&amp;", "&"), headers=HTML)).text
        assert further.count('class="hit"') == 14
        assert "More passages" not in further

    in_process(library, talk)


def test_what_all_hits_have_narrows_nothing_and_is_not_offered_unless_it_was_chosen(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert "<h2>Collection</h2>" not in (await client.get("/results?q=sourdough")).text
        chosen = (await client.get("/results?q=sourdough&collections=notes")).text
        assert re.search(r'<h2>Collection</h2>.*aria-current="true">notes</a>', chosen, re.DOTALL)

    in_process(vault.library, talk)


def test_a_memory_that_is_its_own_title_is_said_once(vault: Vault, databases: Databases) -> None:
    said = "The oven runs hot."

    async def talk(client: httpx2.AsyncClient) -> None:
        kept = await client.post("/v1/remember", json={"text": said}, headers={"content-type": "application/json"})
        assert (await client.get("/memories", headers=HTML)).text.count(said) == 1
        page = (await client.get(f"/memory/{kept.json()['item']}", headers=HTML)).text
        assert page.partition("<main")[2].count(said) == 1

    in_process(databases.copy(vault.library), talk)


def test_the_fragment_holds_the_hits_of_the_page_and_nothing_around_them(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        fragment = (await client.get("/results?q=sourdough")).text
        assert "bread.md" in fragment
        assert "<html" not in fragment
        assert 'class="steps"' not in fragment
        assert 'class="steps"' in (await client.get("/results?q=sourdough&explain=1")).text

    in_process(vault.library, talk)


def test_the_work_for_a_client_that_leaves_is_given_up() -> None:
    async def main() -> None:
        begun, given_up = asyncio.Event(), asyncio.Event()

        async def receive() -> dict[str, str]:
            await begun.wait()
            return {"type": "http.disconnect"}

        async def work() -> Response:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                given_up.set()
            raise AssertionError

        answer = await while_wanted(Request({"type": "http"}, receive), work())
        assert (answer.status_code, given_up.is_set()) == (499, True)

    asyncio.run(main())


def test_what_goes_wrong_while_a_client_waits_is_raised() -> None:
    async def main() -> None:
        async def receive() -> dict[str, str]:
            await asyncio.Event().wait()
            raise AssertionError

        async def work() -> Response:
            raise NotFound("nothing there")

        with pytest.raises(NotFound):
            await while_wanted(Request({"type": "http"}, receive), work())

    asyncio.run(main())


def test_a_passage_is_named_by_its_headings_without_the_title_that_stands_above(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/results?q=prune in late winter")).text
        assert re.search(r'class="open" href="[^"]+"><mark>Pruning</mark></a>', page)

    in_process(vault.library, talk)


def test_narrowing_keeps_the_query_and_can_be_taken_back(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        narrowed = await client.get("/?q=sourdough&kinds=note", headers=HTML)
        assert 'aria-current="true">note</a>' in narrowed.text
        assert 'href="/?q=sourdough"' in narrowed.text

    in_process(vault.library, talk)


def test_a_search_without_hits_says_so_and_offers_to_look_everywhere(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        for path in ("/?q=%22qqqqzzzz%22", "/results?q=%22qqqqzzzz%22"):
            page = (await client.get(path, headers=HTML)).text
            assert "Nothing in the library matches" in page
            assert "how it was searched" in page
        narrowed = (await client.get("/results?q=%22qqqqzzzz%22&since=1d", headers=HTML)).text
        assert '<a href="/?q=%22qqqqzzzz%22">Search everything</a>' in narrowed
        misspelt = (await client.get("/?q=%22sourdoguh%22", headers=HTML)).text
        assert '<a href="/?q=%22sourdough%22">&#34;sourdough&#34;</a>' in misspelt
        both = (await client.get("/?q=%22restz+overnigth%22", headers=HTML)).text
        assert "&#34;rests overnight&#34;</a>" in both
        assert "Did you mean" not in (await client.get("/?q=%22restz%22", headers=HTML)).text
        unanswered = (await client.post("/ask", data={"q": '"qqqqzzzz"'}, headers=HTML)).text
        assert 'id="end"><p class="note">' in unanswered

    in_process(vault.library, talk)


def test_an_address_without_a_page_is_answered_with_one_for_people_and_with_json_for_programs(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        missing = await client.get("/nowhere", headers=HTML)
        assert (missing.status_code, missing.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "Back to the search" in missing.text
        assert (await client.get("/nowhere")).json()["code"] == "NO_SUCH_ROUTE"
        told = await client.get("/v1/search", headers=HTML)
        assert (told.status_code, told.headers["allow"]) == (405, "POST")
        assert "/v1/search -H &#39;content-type: application/json&#39;" in told.text.replace("'", "&#39;")
        assert (await client.get("/v1/search")).json()["code"] == "METHOD_NOT_ALLOWED"

    in_process(vault.library, talk)


def test_the_programming_interface_is_shown_with_types_and_the_address_of_this_server(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/docs", headers=HTML)).text
        assert f"curl -s {str(client.base_url).rstrip('/')}/v1/search" in page
        assert "list of string" in page

    in_process(vault.library, talk)


def test_a_trace_is_a_waterfall_in_words(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/trace?q=sourdough", headers=HTML)).text
        begins = [float(x) for x in re.findall(r'<rect height="10" x="([\d.]+)"', page)]
        assert begins[0] == 0.0
        assert begins == sorted(begins)
        assert begins[-1] > 0
        assert not re.search(r"[{\[]&#39;", page)
        shown, skipped = page.split("stages were skipped</summary>")
        assert "exact match" in shown and "links below" in skipped

    in_process(vault.library, talk)


def test_a_document_leads_to_how_the_library_sees_it_and_where_its_passages_rank(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        document = (await client.get("/document/notes/bread.md", headers=HTML)).text
        assert 'href="/inspect/notes/bread.md"' in document
        page = (await client.get("/inspect/notes/bread.md", headers=HTML)).text
        assert "as the library sees it" in page and "found by" not in page
        ranked = (await client.get("/inspect/notes/bread.md?q=sourdough", headers=HTML)).text
        assert "The first hit is" in ranked and "words 1" in ranked
        assert (await client.get("/inspect/notes/nowhere.md", headers=HTML)).status_code == 404

    in_process(vault.library, talk)


def test_what_is_not_there_is_a_page_that_says_so(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        answer = await client.get("/document/notes/nowhere.md", headers=HTML)
        assert answer.status_code == 404
        assert "nowhere.md" in answer.text
        assert (await client.get("/assets/passwd")).status_code == 404

    in_process(vault.library, talk)


def test_a_browser_without_the_token_is_asked_for_it_and_with_it_let_in(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.post("/v1/status", json={})).status_code == 401
        asked = await client.get("/", headers=HTML)
        assert (asked.status_code, asked.headers["location"]) == (303, "/login")
        assert (await client.get("/login", headers=HTML)).status_code == 200
        form = {"content-type": "application/x-www-form-urlencoded"}
        kept = await client.post("/login", content="token=se%63ret", headers=form)
        assert (kept.status_code, kept.headers["location"]) == (303, "/")
        name, _, value = kept.headers["set-cookie"].partition("; ")[0].partition("=")
        assert name == "octavo_session_7411"
        assert "secret" not in value
        assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(kept.headers["set-cookie"].split("; "))
        mine = {**HTML, "cookie": f"{name}={value}"}
        client.cookies.clear()
        assert (await client.get("/", headers=mine)).status_code == 200
        # Another port's server may have been sent the cookie: for it, the name says that it is none of its own.
        assert (await client.get("/", headers=mine | {"host": "localhost:8000"})).headers["location"] == "/login"
        refused = await client.get("/", headers={**HTML, "cookie": f"{name}=secret"})
        assert (refused.status_code, refused.headers["location"]) == (303, "/login?refused=1")
        assert "not the token of this server" in (await client.get(refused.headers["location"], headers=HTML)).text
        wrong = await client.post("/login", content="token=other", headers=form)
        assert (wrong.headers["location"], "set-cookie" in wrong.headers) == ("/login?refused=1", False)
        assert "Log out" in (await client.get("/", headers=mine)).text
        assert "Log out" not in (await client.get("/login", headers=HTML)).text
        assert (await client.post("/logout", headers=mine)).headers["location"] == "/login"
        assert (await client.get("/", headers=mine)).headers["location"] == "/login?refused=1"

    in_process(vault.library, talk, token="secret")


def test_a_link_with_the_token_opens_a_session_and_is_left_at_once(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        admitted = await client.get("/login?token=secret&q=sourdough", headers=HTML)
        assert (admitted.status_code, admitted.headers["location"]) == (303, "/?q=sourdough")
        assert "bread.md" in (await client.get("/?q=sourdough", headers=HTML)).text
        assert (await client.get("/login?token=other", headers=HTML)).headers["location"] == "/login?refused=1"

    in_process(vault.library, talk, token="secret")


HOSTILE = """# <script>alert(1)</script>

<img src=x onerror=alert(1)> [a](javascript:alert(1)) [b](data:text/html;base64,AA) ![p](https://elsewhere/x.png)
[[<b>x</b>|y]] [c](../other.md#part) [d](//elsewhere/x)

```html
</pre><script>alert(2)</script>
```
"""


def test_markdown_is_shown_and_never_obeyed() -> None:
    shown = str(markdown(HOSTILE, DocumentPlace("notes", "deep/hostile.md")))
    assert not re.search(r"<(?:script|img|b)\b", shown)
    assert not re.search(r'(?:href|src)="(?:javascript|data):', shown)
    assert 'href="/document/notes/other.md#h-part"' in shown
    assert 'href="//elsewhere' not in shown


def test_links_lead_to_headings_of_this_document_and_of_others() -> None:
    text = "# What's new?\n\n[[#What's new?]] [[other#Its part|there]] [x](#whats-new) [[#what's new?]]\n"
    shown = str(markdown(text, DocumentPlace("notes", "deep/a.md")))
    assert '<h1 id="h-whats-new">' in shown
    assert shown.count('href="#h-whats-new"') == 3
    assert ">What's new?</a>" in shown
    assert 'href="/find/notes/other%23Its%20part"' in shown
    assert 'href="/find?name=other"' in str(markdown("[[other]]", DocumentPlace("", "")))


def test_a_wikilink_is_followed_to_its_heading(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        for address in ("/find/notes/apples%23Pruning", "/find?name=apples%23Pruning"):
            found = await client.get(address, headers=HTML)
            assert found.headers["location"] == "/document/notes/garden/apples.md#h-pruning"
        assert (await client.get("/find?name=", headers=HTML)).headers["location"] == "/?q="

    in_process(vault.library, talk)


def test_a_call_out_is_titled_by_its_whole_first_line() -> None:
    shown = str(
        markdown("> [!info] Is it so? If **yes**, read [[this]].\n> And more.\n", DocumentPlace("notes", "a.md"))
    )
    assert "<strong>Is it so? If <strong>yes</strong>, read <a" in shown
    assert "</a>.</strong><br" in shown
    assert "<strong>Info</strong><br" in str(markdown("> [!info]\n> More.\n", DocumentPlace("notes", "a.md")))


def test_a_sentence_of_an_answer_is_rendered_and_never_obeyed() -> None:
    shown = str(
        inline("Open **[[Settings]]** `now` <script>x</script> [a](javascript:x)", DocumentPlace("notes", "a.md"))
    )
    assert '<strong><a href="/find/notes/Settings"' in shown
    assert "<code>now</code>" in shown
    assert "<script" not in shown
    assert 'href="javascript' not in shown
    assert "<p>" not in shown
    assert str(sentence("say `a` or [b](https://c)")) == "Say <code>a</code> or [b](https://c)"
    assert str(sentence("a ` alone")) == "A ` alone"


def test_cited_lines_are_marked_in_markdown_and_in_code() -> None:
    text = "---\ntitle: t\n---\n\n# One\n\nfirst\n\n# Two\n\nsecond\n"
    shown = str(markdown(text, DocumentPlace("notes", "a.md", (9, 11))))
    assert shown.count('id="cited"') == 1
    assert re.findall(r'<(\w+)[^>]*class="cited"', shown) == ["h1", "p"]
    assert ">first<" in shown
    source = str(code("a = 1\nb = '<'\nc = 3\n", "py", DocumentPlace("code", "a.py", (2, 2))))
    assert source.count("cited") == 2
    assert "&lt;" in source
    assert "'<'" not in source


def test_the_first_page_shows_what_changed_last_and_examples_of_this_library(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/", headers=HTML)).text
        assert "Changed last" in page and 'href="/document/notes/bread.md"' in page
        examples = re.findall(r'<li><a href="/\?q=[^"]*"><code>([^<]+)</code>', page)
        assert examples
        for example in (example for example in examples if " -" not in example):
            hits = (await client.get("/", params={"q": example.replace("&#34;", '"')}, headers=HTML)).text
            assert 'class="hit"' in hits, example

    in_process(vault.library, talk)


def test_the_example_of_a_collection_is_one_that_holds_something() -> None:
    def named(*held: tuple[str, int]) -> list[str]:
        status = SimpleNamespace(collections=[SimpleNamespace(name=name, indexed=indexed) for name, indexed in held])
        return [typed for typed, _ in query_examples(cast("Any", status), (), {})]

    assert named(("memories", 0), ("notes", 3)) == []
    assert named(("memories", 0), ("notes", 3), ("work", 1)) == ["in:notes"]


def test_the_best_passage_of_a_document_is_shown_and_the_others_are_folded(
    octavo: Octavo, tmp_path: Path, location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    parts = "\n".join(f"## Part {number}\n\nRye bread number {number}.\n" + "Water. " * 300 for number in range(3))
    (notes / "rye.md").write_text(f"# Rye\n\n{parts}", "utf-8")
    (notes / "links.md").write_text("# All about bread\n\nSee [[rye]].\n", "utf-8")
    monkeypatch.setenv("OCTAVO_LIBRARY", str(location))
    for arguments in (("init",), ("add", str(notes), "--name", "notes"), ("index",)):
        assert octavo(*arguments).exit_code == 0

    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/?q=rye+bread", headers=HTML)).text
        document = re.findall(r'<li class="document">.*?</li>\n<', page, re.DOTALL)[0]
        before, _, folded = document.partition('<details class="others">')
        assert (before.count('class="hit"'), folded.count('class="hit"')) == (1, 2)
        assert "<summary>2 more passages</summary>" in folded
        assert "<summary>Found by words and meaning" in before
        linked = (await client.get("/document/notes/rye.md", headers=HTML)).text
        assert re.search(r'href="/document/notes/links.md"[^>]*>All about bread</a>', linked)

    in_process(location, talk)


def test_a_question_has_an_answer_for_above_its_hits(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.get("/ask/short?q=x")).status_code == 405
        answer = await client.post("/ask/short", data={"q": "how is sourdough baked?"}, headers=HTML)
        assert answer.status_code == 200
        assert 'class="cite-link"' in answer.text and "<html" not in answer.text
        assert (await client.post("/ask/short", data={"q": ""}, headers=HTML)).text == ""

    in_process(vault.library, talk)


def test_every_asset_is_served_and_is_part_of_the_package(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/", headers=HTML)).text
        for name in re.findall(r'"/assets/([^"]+)"', page):
            assert (await client.get(f"/assets/{name}")).status_code == 200

    in_process(vault.library, talk)


@pytest.mark.skipif(os.name != "posix", reason="the browser's stand-in is a shell script")
@pytest.mark.one_engine
def test_serving_opens_the_page_where_that_is_wanted(vault: Vault, tmp_path: Path) -> None:
    said, browser = tmp_path / "address", tmp_path / "browser"
    os.mkfifo(said)  # reading it waits until the browser was told
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {said}\n', "utf-8")
    browser.chmod(0o755)
    environ = {"BROWSER": f"{browser} %s"}
    with running(["--library", str(vault.library), "--no-watch", "--open"], environ) as started:
        opened = said.read_text("utf-8")
        assert opened.startswith(f"{started.address}/login?code=")
        assert started.page.partition("=")[2] not in opened
        with httpx2.Client(timeout=60) as client:
            assert client.get(opened).headers["location"] == "/"
            assert client.get(f"{started.address}/", headers=HTML).status_code == 200
        with httpx2.Client(timeout=60) as client:
            assert client.get(opened).headers["location"] == "/login?refused=1"


@pytest.mark.one_engine
def test_those_who_leave_while_they_wait_hold_nobody_up(vault: Vault) -> None:
    async def asked(address: str, credentials: str, number: int) -> bytes:
        host, _, port = address.removeprefix("http://").rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        headers = f"Host: {host}:{port}\r\nAuthorization: {credentials}\r\nConnection: close"
        wanted = f"GET /results?q=sourdough&number={number} HTTP/1.1\r\n{headers}\r\n\r\n"
        writer.write(wanted.encode())
        await writer.drain()
        answer = b"" if number % 2 else await reader.read()
        writer.close()
        return answer

    async def everybody(address: str, credentials: str) -> list[bytes]:
        return await asyncio.gather(*(asked(address, credentials, number) for number in range(40)))

    with running(["--library", str(vault.library), "--no-watch"]) as started:
        answers = asyncio.run(everybody(started.address, started.headers["authorization"]))
    wrong = [answer for answer in answers[::2] if not answer.startswith(b"HTTP/1.1 200") or b"bread.md" not in answer]
    assert wrong == []
