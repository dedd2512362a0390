"""A library as a site: pages, a graph and a search that need no server."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from workbench import Bench

from octavo.operations.library.library_export import export
from octavo.operations.library.requests import ExportRequest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NOTES = {
    "bread.md": "# Bread\n\n## Oven\n\nSourdough goes in at 240 degrees, see [[stone]] and [[diary#May|the diary]].\n\n"
    "![[loaf.svg]]\n",
    "garden/stone.md": "---\ntitle: Stone\n---\n# Stone\n\nWarm it for an hour. Back to [bread](../bread.md#oven).\n",
    "private/diary.md": "# Diary\n\n## May\n\nA secret zeppelin.\n",
    "hostile.md": "# <img src=x onerror=\"document.title='broken'\">\n\n<script>document.title='broken'</script> "
    "[x](javascript:alert(1))\n",
    "feiertage.md": "# Feiertage\n\nAm Äquator: 建国記念の日は二月十一日です。\n",
    "tool.py": "def knead():\n    return 'dough'\n",
}
PICTURE = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


@pytest.fixture
def site(bench: Bench, tmp_path: Path) -> Path:
    bench.write(NOTES)
    (bench.folder / "loaf.svg").write_bytes(PICTURE)
    bench.index()
    return written(bench, tmp_path / "site")


def written(bench: Bench, folder: Path, **narrowed: Any) -> Path:
    with bench.opened() as engine:
        assert export(engine, ExportRequest(str(folder), to="site", **narrowed)).path == str(folder)
    return folder


def page(site: Path, uri: str) -> str:
    (found,) = site.glob(f"documents/*/{uri}.html")
    return found.read_text("utf-8")


def test_links_lead_from_page_to_page_and_pictures_come_along(site: Path) -> None:
    for html in site.rglob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"#]+)', html.read_text("utf-8")):
            assert (html.parent / Path(re.sub("%20", " ", target))).is_file(), (html, target)
    assert re.search(r'href="[^"]*/garden/stone.md.html">stone', page(site, "bread.md"))
    assert re.search(r'href="[^"]*/private/diary.md.html#h-may">the diary', page(site, "bread.md"))
    assert 'bread.md.html#h-oven">bread' in page(site, "garden/stone.md")
    assert next(site.glob("files/*/loaf.svg")).read_bytes() == PICTURE
    assert "Linked from" in page(site, "garden/stone.md") and "knead" in page(site, "tool.py")


def test_what_is_not_exported_is_nowhere_in_the_site(bench: Bench, site: Path, tmp_path: Path) -> None:
    narrow = written(bench, tmp_path / "narrow", path_prefix="bread")
    everything = "".join(path.read_text("utf-8") for path in narrow.rglob("*") if path.is_file())
    assert "zeppelin" not in everything and "Warm it for an hour" not in everything and "Diary" not in everything
    assert '<span class="missing">the diary</span>' in page(narrow, "bread.md")
    assert "zeppelin" in (site / "passages.js").read_text("utf-8")


def test_a_passage_of_the_search_is_what_a_person_reads_of_it(bench: Bench, site: Path, tmp_path: Path) -> None:
    table = "# House\n\n# Limits\n\nSee **both**:\n\n| reading | close |\n|---|---|\n| humidity | 85 |\n\n"
    table += "## All\n\n### Limits\n\n- `wind`\n- rain\n"
    bench.write({"limits.md": f"---\ntags: [dome]\n---\n{table}"})
    bench.index()
    folder = written(bench, tmp_path / "limits", path_prefix="limits")
    passages = json.loads((folder / "passages.js").read_text("utf-8").removeprefix("const PASSAGES = ").rstrip(";\n"))
    assert [(heading, address.partition("limits.md.html")[2], text) for _, heading, address, text in passages] == [
        ("", "", "#dome"),
        ("House", "#h-house", ""),
        ("Limits", "#h-limits", "See both: reading close humidity 85"),
        ("Limits › All › Limits", "#h-limits", "wind rain"),
    ]


def test_what_documents_say_is_shown_and_not_obeyed(site: Path) -> None:
    html = page(site, "hostile.md")
    assert "<img" not in html and "javascript:" not in re.sub(r"<[^>]*>", "", html).replace("javascript:alert(1)", "")
    assert html.count("<script") == 2 and "&lt;script&gt;" in html


def test_a_library_without_documents_is_a_site_that_says_so(bench: Bench, site: Path, tmp_path: Path) -> None:
    empty = written(bench, tmp_path / "empty", path_prefix="nowhere")
    assert "Nothing was exported." in (empty / "index.html").read_text("utf-8")
    assert json.loads((empty / "passages.js").read_text("utf-8").removeprefix("const PASSAGES = ").rstrip(";\n")) == []


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_a_browser_finds_and_reads_without_a_server(site: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 420, "height": 800})
        requested: list[str] = []
        tab.on("request", lambda request: requested.append(request.url))
        tab.goto((site / "index.html").as_uri())
        tab.get_by_role("searchbox").fill("sourd")
        tab.locator("#hits a").first.click()
        tab.locator("#h-oven").wait_for()
        assert tab.url.endswith("bread.md.html#h-oven")
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        tab.get_by_role("searchbox").fill("xyzzy ")
        tab.get_by_text("Nothing found.").wait_for()
        for words in ("二月", "aquator", "記念"):  # no spaces in Japanese, no dots on a keyboard
            tab.get_by_role("searchbox").fill(words)
            tab.locator("#hits").get_by_text("Feiertage").wait_for()
        tab.get_by_role("searchbox").fill("broken")
        tab.locator("#hits").get_by_text("<script>").wait_for()
        tab.locator("#hits a").first.click()
        tab.wait_for_url("**/hostile.md.html*")
        assert tab.title() == "hostile"
        tab.goto((site / "graph.html").as_uri())
        tab.locator("canvas, svg").first.wait_for()
        browser.close()
    assert requested and all(url.startswith("file:") for url in requested)
