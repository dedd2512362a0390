"""A library with one of everything, served once, and a browser that is started once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cli_calls import surroundings
from http_calls import running
from web_calls import CHROMIUM, PATIENCE, Site, fill


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("site")
    folder, library = home / "notes", home / "library.db"
    folder.mkdir()
    environ = surroundings(home)
    del environ["OCTAVO_EMBEDDING_PROVIDER"]  # the page is seen with the encoder that ships
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OCTAVO_EMBEDDING_PROVIDER", raising=False)
        for name, value in environ.items():
            patch.setenv(name, value)
        item = fill(library, folder)
    with running(["--library", str(library), "--no-watch"], environ) as started:
        yield Site(started.address, item, started.page)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Not for longer than a module: the driver keeps an event loop in this thread, where other tests run theirs."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(site: Site, browser: Any) -> Iterator[Any]:
    """A page in a browser, which fails the test for every error and every request to elsewhere."""
    wrong: list[str] = []
    context = browser.new_context(base_url=site.address)
    context.set_default_timeout(PATIENCE)
    opened = context.new_page()
    opened.goto(site.page)
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda asked: None if asked.url.startswith(site.address) else wrong.append(asked.url))
    yield opened
    context.close()
    assert wrong == []
