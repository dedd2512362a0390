"""What people keep in other programs: a mailing list's threads, a browser's bookmarks, a paper's reference, pages of
the web."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from documents import pdf
from workbench import Bench, found

from octavo.model.file_formats import FETCHED_PAGES
from octavo.operations.answering.ask import ask
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import ask_lines
from octavo.operations.argument_parsing import request
from octavo.operations.library.requests import FetchRequest
from octavo.operations.library.web_page_download import fetch
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_execution import find
from octavo.operations.search.search_handlers import search
from octavo.operations.styled_answer_lines import written
from octavo.services.file_and_page_download import addresses_in, fetch_page

MAIL = """\
From ann@example.org Mon Nov 16 10:00:00 2026
From: Ann <ann@example.org>
Subject: Closing the dome
Date: Mon, 16 Nov 2026 10:00:00 +0000
Message-ID: <1@example.org>

When does the dome close?

From bob@example.org Mon Nov 16 11:00:00 2026
From: Bob <bob@example.org>
Subject: Re: Closing the dome
Date: Mon, 16 Nov 2026 11:00:00 +0000
Message-ID: <2@example.org>
In-Reply-To: <1@example.org>

The dome closes above 85 per cent.

From eve@example.org Mon Nov 16 12:00:00 2026
From: Eve <eve@example.org>
Subject: The dome is dirty
Date: Mon, 16 Nov 2026 12:00:00 +0000
Message-ID: <3@example.org>

Who washes the dome?
"""
BOOKMARKS = """\
<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>
<DL><p>
    <DT><H3 ADD_DATE="1700000000">Baking</H3>
    <DL><p>
        <DT><A HREF="https://example.org/sourdough" ADD_DATE="1700000001">Sourdough for beginners</A>
        <DD>How hot the oven must be.
    </DL><p>
</DL><p>
"""


def test_a_search_can_be_kept_to_one_thread_of_a_mailbox(bench: Bench) -> None:
    bench.write({"list.mbox": MAIL})
    bench.index()
    with bench.opened() as engine:
        asked = {"query": "dome", "where": ["thread=<1@example.org>"], "profile": "lexical_only"}
        hits = find(engine, request("search", SearchRequest, asked)).hits
        assert {hit.title for hit in hits} == {"Closing the dome", "Re: Closing the dome"}
        assert len(found(engine, "dome", "lexical_only")) == 3


def test_a_bookmark_is_found_by_its_words_below_its_folder_with_its_address(bench: Bench) -> None:
    bench.write({"bookmarks.html": BOOKMARKS})
    bench.index()
    with bench.opened() as engine:
        (hit,) = found(engine, "oven", "lexical_only")
        assert hit.citation.heading_path[-1] == "Baking"
        assert "[Sourdough for beginners](https://example.org/sourdough)" in hit.excerpt


def test_a_hit_in_a_paper_has_its_citation_key_and_its_reference(bench: Bench) -> None:
    bench.write(
        {
            "papers/hives.pdf": pdf([["Bees keep their hive warm in winter."]]),
            "library.bib": "@book{huber1792,\n author = {Huber, Francois},\n title = {Hives},\n year = 1792,\n"
            " file = {papers/hives.pdf}\n}\n",
        }
    )
    bench.index()
    with bench.opened() as engine:
        asked = request("search", SearchRequest, {"query": "warm winter", "profile": "lexical_only"})
        (hit,) = search(engine, asked).hits
        assert (hit.page, hit.citation_key, hit.reference) == (1, "huber1792", "Huber, Francois (1792). Hives.")
        answer = ask(engine, AskRequest("How do bees keep their hive in winter?"))
        (cited,) = answer.sentences[0].citations
        assert (cited.page, cited.citation_key, cited.reference) == (1, hit.citation_key, hit.reference)
        assert "@huber1792" in written(ask_lines(answer))
        bench.write({"library.bib": "@book{bees,\n title = {Hives},\n file = {papers/hives.pdf}\n}\n"})
        assert search(engine, asked).hits[0].citation_key == "bees"  # not indexed again


@contextmanager
def served(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_pages_of_a_list_are_fetched_below_their_date_and_cited_by_their_address(bench: Bench, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "oven.html").write_text("<title>Oven</title><p>An oven of 250 degrees bakes the crust.</p>", "utf-8")
    (site / "picture.png").write_bytes(b"png")
    (site / "rye.txt").write_text("A rye loaf needs a sour dough.", "utf-8")
    (site / "wheat.md").write_text("# Wheat\n\nA wheat loaf needs yeast.\n", "utf-8")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

    listed = tmp_path / "addresses.txt"
    with served(partial(Quiet, directory=str(site))) as base, bench.opened() as engine:
        addresses = [f"{base}/{name}" for name in ("oven.html", "missing.html", "picture.png")]
        listed.write_text("".join(f"- {address}\n" for address in addresses), "utf-8")
        answer = fetch(engine, FetchRequest(str(listed), str(bench.folder)))
        for name in ("rye.txt", "wheat.md", "wheat.md"):
            assert fetch(engine, FetchRequest(f"{base}/{name}", str(bench.folder))).ok
    assert [page.problem for page in answer.pages] == ["", "it answered 404", "it is image/png, which is no page"]
    assert not answer.ok and [page.address for page in answer.pages] == addresses
    bench.index()
    with bench.opened() as engine:
        (hit,) = found(engine, "crust", "lexical_only")
        day = Path(answer.pages[0].file).parent.name
        assert hit.citation.position.url == addresses[0] and hit.citation.uri.startswith(f"{day}/127.0.0.1")
        where = {"query": "crust", "where": [f"fetched>={day}"], "profile": "lexical_only"}
        assert len(find(engine, request("search", SearchRequest, where)).hits) == 1
        for query, name in (("sour", "rye.txt"), ("yeast", "wheat.md")):
            asked = request("search", SearchRequest, {"query": query, "profile": "lexical_only"})
            assert [hit.reference for hit in search(engine, asked).hits] == [f"{base}/{name} (visited {day})"]
    assert len((bench.folder / day / FETCHED_PAGES).read_text("utf-8").splitlines()) == 2


def test_addresses_are_read_from_sentences_bookmarks_and_lines_as_they_are_meant() -> None:
    text = """See (https://example.org/Mercury_(planet)), or https://example.org/?a=1&section=2&copy=3.
<DT><A HREF="https://example.org/?b=1&amp;c=2" ICON_URI="https://example.org/favicon.ico">B</A>
"""
    assert addresses_in(text) == (
        "https://example.org/Mercury_(planet)",
        "https://example.org/?a=1&section=2&copy=3",
        "https://example.org/?b=1&c=2",
    )


def test_each_page_is_a_file_of_its_own_whatever_its_address_and_half_a_page_is_none(tmp_path: Path) -> None:
    class Odd(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None: ...

        def do_GET(self) -> None:
            body = f"<title>{self.path}</title>".encode()
            packed = gzip.compress(body) if self.path == "/packed" else body
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(packed) + 1000 * (self.path == "/half")))
            if self.path in ("/packed", "/broken"):
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(packed)

    with served(Odd) as base:
        taken: set[str] = set()
        places = ("page", "page.html", "Page", "a?b=1", "a-b-1", "größe", "packed", "half", "broken")
        pages = {place: fetch_page(f"{base}/{place}", tmp_path, 0.0, taken) for place in places}
    problems = {place: page.problem for place, page in pages.items() if page.problem}
    assert problems == {"half": "it broke off", "broken": "it is not compressed as it says"}
    files = [page.file.casefold() for page in pages.values() if page.file]
    assert len(set(files)) == len(files) == 7
    for place, sent in (("größe", "/gr%C3%B6%C3%9Fe"), ("packed", "/packed")):
        assert f"<title>{sent}</title>" in Path(pages[place].file).read_text("utf-8")
