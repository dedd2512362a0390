"""The page in a real browser, where one is installed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_calls import SETTINGS, Running, running

from octavo.engine.wiring import open_library

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


NOTES = {
    "bread.md": "# Bread\n\n## Starter\n\nFeed the sourdough every morning.\n",
    "hostile.md": "# <img src=x onerror=document.title='broken'>\n\nzeppelin [a](javascript:alert(1))\n",
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    folder, library = tmp_path / "notes", tmp_path / "library.db"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    with open_library(library, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
    with running(["--library", str(library)], {"OCTAVO_EMBEDDING_PROVIDER": "hashing"}) as started:
        yield started


@pytest.fixture
def page(server: Running) -> Iterator[Any]:
    """A page in a browser, which fails the test for every error and every request to elsewhere."""
    wrong: list[str] = []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(base_url=server.address)
        opened.set_default_timeout(120_000)
        opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: wrong.append(str(error)))
        opened.on("request", lambda asked: None if asked.url.startswith(server.address) else wrong.append(asked.url))
        yield opened
        browser.close()
    assert wrong == []


def test_hits_come_while_one_types_and_the_address_holds_the_search(page: Any) -> None:
    page.goto("/")
    page.keyboard.type("sourdough")
    page.wait_for_selector("a.open")
    page.wait_for_url("**/?q=sourdough*")
    assert "bread.md" in page.inner_text("ol.documents")
    page.reload()
    assert page.input_value("#query") == "sourdough"
    assert "bread.md" in page.inner_text("ol.documents")


def test_the_keyboard_leads_to_a_hit_and_the_back_button_to_the_search(page: Any) -> None:
    page.goto("/?q=sourdough")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cited")
    page.go_back()
    page.wait_for_selector("a.open")
    page.focus("a.open")
    page.keyboard.press("?")
    assert page.is_visible("#keys")


def test_hostile_titles_run_nothing(page: Any) -> None:
    page.goto("/?q=zeppelin")
    page.wait_for_selector("a.open")
    page.click("a.open")
    page.wait_for_selector("#cited")
    assert page.title() != "broken"
    assert page.locator("img").count() == 0
    assert page.locator("a[href^=javascript]").count() == 0


@pytest.mark.parametrize(
    "path", ["/", "/?q=sourdough", "/library", "/memories", "/docs", "/graph", "/ask", "/models", "/jobs"]
)
def test_nothing_is_wider_than_a_telephone(page: Any, path: str) -> None:
    page.set_viewport_size({"width": 420, "height": 800})
    page.goto(path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_the_graph_leads_from_a_name_to_its_document(page: Any) -> None:
    page.goto("/graph")
    page.fill("#find", "bread")
    page.click("#found li")
    page.click("#where a")
    page.wait_for_url("**/document/notes/bread.md")
    assert "Feed the sourdough" in page.inner_text("article")


def test_a_token_is_asked_for_once_and_then_the_page_writes(tmp_path: Path) -> None:
    folder, library, token = tmp_path / "notes", tmp_path / "library.db", tmp_path / "token"
    folder.mkdir()
    (folder / "bread.md").write_text(NOTES["bread.md"], "utf-8")
    token.write_text("0123456789abcdef0123", "utf-8")
    token.chmod(0o600)
    with open_library(library, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
    arguments = ["--library", str(library), "--write", "--token-file", str(token)]
    with (
        running(arguments, {"OCTAVO_EMBEDDING_PROVIDER": "hashing"}) as started,
        playwright.sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(base_url=started.address)
        page.set_default_timeout(120_000)
        page.goto("/memories")
        page.fill("[name=token]", "0123456789abcdef0123")
        page.click("button")
        page.wait_for_selector("#query")
        page.goto("/memories")
        page.click("summary")
        page.fill("#text", "The oven runs hot.")
        page.click(".remember button")
        page.wait_for_url("**/memory/*")
        assert "The oven runs hot." in page.inner_text("article")
        browser.close()
