"""What people keep in other programs: a mailing list's threads, a browser's bookmarks."""

from __future__ import annotations

from workbench import Bench, found

from octavo.operations.request_arguments import request
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.run_search import find

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
