"""Takes the pictures of the documentation: pages in a browser, the app in a terminal, what a command says.

    python scripts/make_pictures.py [NAME ...]
    python scripts/make_pictures.py --every FOLDER [FILES]    # every page, wide and narrow, light and dark, to look at

FILES is a folder of documents of your own, each of which is photographed as a page as well.

They are of the vault in `examples/`, in a library made for them. It needs Playwright, Chromium and Textual. Days and
files are always the same; times in milliseconds and fonts are those of the machine.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

from generated import ROOT
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text
from textual.widgets import OptionList

from octavo.config.layered_config_loading import load
from octavo.interfaces.daemon.server_or_local_library import LibraryClient
from octavo.interfaces.mcp.supported_clients import CLIENTS
from octavo.interfaces.tui.app_with_screens import OctavoApp

PICTURES = ROOT / "docs" / "pictures"
QUESTION = "what is the humidity limit"
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_TOKEN = "a-token-for-pictures-0123456789"
_PATIENCE = 60_000  # milliseconds
_DAY = "2025-09-01T20:00:00+00:00"
# Chromium asks fontconfig for the system's font; where there is a choice, one that most readers know.
_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<match target="pattern"><test name="family" qual="any"><string>sans-serif</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string><string>Liberation Sans</string></edit>
</match>
</fontconfig>"""


@dataclass(frozen=True)
class Shot:
    """A page of the browser. `until` is what is there once it is drawn."""

    path: str
    until: str
    width: int = 1100
    height: int = 720
    dark: bool = False
    open_first: str = ""
    ask: str = ""


BROWSER = {
    "search": Shot(f"/?q={QUESTION.replace(' ', '+')}", ".hit"),
    "why": Shot("/?q=collimation", ".hit", open_first=".why summary"),
    "document": Shot("/document/observatory/observing/Closing%20down.md?lines=7-12#cited", "#cited"),
    "trace": Shot(f"/trace?q={QUESTION.replace(' ', '+')}", ".trace", height=700),
    "ask": Shot("/ask?q=why+do+we+close+at+85+per+cent", ".sources"),
    "graph": Shot("/graph", "#legend li"),
    "map": Shot("/map", "#legend li", dark=True),
    "memory": Shot("/memories", ".document", height=520),
    "telephone": Shot(f"/?q={QUESTION.replace(' ', '+')}", ".hit", width=420, height=820, dark=True),
}

# Where a page has an id in its address, the page that leads to it and the link to follow there.
FOLLOWED = {
    "memory": ".document a",
    "edit": ".edit-link",
    "difference": ".edit-link",
    "version": "aside a[href*='version=']",
    "job": "main a[href^='/job/']",
    "model": "main a[href^='/model/']",
}
EVERY_PAGE: dict[str, str] = {
    "login": "/login",
    "start": "/",
    "results": f"/?q={QUESTION.replace(' ', '+')}",
    "no-match": "/?q=the+capital+of+Mongolia",
    "trace": f"/trace?q={QUESTION.replace(' ', '+')}",
    "document": "/document/observatory/observing/Closing%20down.md?lines=7-12#cited",
    "inspect": f"/inspect/observatory/observing/Closing%20down.md?q={QUESTION.replace(' ', '+')}",
    "ask": "/ask?q=how+often+is+the+mirror+washed%3F",
    "ask-nothing": "/ask?q=what+is+the+capital+of+Mongolia%3F",
    "typing-error": "/?q=humidty+limt",
    "narrowed": "/?q=dome&tags_all=howto",
    "memories": "/memories",
    "memory": "/memories",
    **dict.fromkeys(("edit", "difference", "version"), "/document/observatory/observing/Closing%20down.md"),
    "project": "/project/default",
    "graph": "/graph",
    "map": "/map",
    "library": "/library",
    "collection": "/collection/observatory",
    "jobs": "/jobs",
    "job": "/jobs",
    "models": "/models",
    "model": "/models",
    "evaluation": "/evaluation",
    "settings": "/settings",
    "docs": "/docs",
    "not-found": "/nowhere",
}


def main(wanted: list[str]) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        os.environ.update(_surroundings(home))
        _fill(home / "observatory")
        if wanted[:1] == ["--every"]:
            pages = EVERY_PAGE | _pages_of(wanted[2:])
            token = home / "token"
            token.write_text(_TOKEN, "utf-8")
            token.chmod(0o600)
            with _served("--write", "--token-file", str(token)) as address:
                _photograph_every(address, home, Path(wanted[1]), pages)
            return
        shots = {name: shot for name, shot in BROWSER.items() if not wanted or name in wanted}
        if shots:
            with _served() as address:
                _photograph(shots, address, home)
        if not wanted or "site" in wanted:
            _octavo("export", str(home / "site"), "--to", "site")
            index = (home / "site" / "index.html").as_uri()
            _photograph({"site": Shot(index, "#hits a", height=560, ask="humidity")}, index, home)
        if not wanted or "terminal" in wanted:
            asyncio.run(_terminal())
        for client in CLIENTS:
            if not wanted or client in wanted:
                _command(("octavo", "mcp", "install", "--client", client, "--write"), client, home)


def _surroundings(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        **{f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "CONFIG", "CACHE")},
        "OCTAVO_DAEMON_ENABLED": "false",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "COLUMNS": "100",
    }


def _fill(folder: Path) -> None:
    """A library of the vault as one finds it: with history, memories, communities and clusters."""
    # Without the notes that need fonts which few machines have.
    shutil.copytree(ROOT / "examples" / "vault", folder, ignore=shutil.ignore_patterns("abroad", "README.md"))
    for path in folder.rglob("*"):
        os.utime(path, (1_756_756_800, 1_756_756_800))
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "Write down how the observatory is run")
    _octavo("init")
    _octavo("add", str(folder), "--name", "observatory", "--history", "--writable")
    _octavo("index", "--wait-full")
    _octavo("remember", "Nadia has the second key of the dome; Paul keeps the spare one.", "--kind", "fact")
    _octavo("remember", "Answers should name the line of the handbook they come from.", "--kind", "preference")
    _octavo("remember", "The dew heaters draw too much on cold nights: switch one of them off.", "--kind", "decision")
    _octavo("graph", "build")
    _octavo("cluster", "build", "--k", "7")


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ann Larkfield", "-c", "user.email=ann@example.org")
    days = {"GIT_AUTHOR_DATE": _DAY, "GIT_COMMITTER_DATE": _DAY}
    subprocess.run(["git", *who, *arguments], cwd=folder, env={**os.environ, **days}, check=True)


def _octavo(*arguments: str) -> str:
    command = [sys.executable, "-m", "octavo", *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


@contextmanager
def _served(*options: str) -> Iterator[str]:
    command = [sys.executable, "-m", "octavo", "serve", *(options or ("--no-token",)), "--port", "0", "--no-watch"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stderr is not None
        try:
            found = re.match(r"Serving (http://\S+) ", server.stderr.readline())
            assert found
            yield found[1]
        finally:
            server.terminate()
            server.communicate()


def _photograph(shots: Mapping[str, Shot], address: str, home: Path) -> None:
    with _browser(home) as browser:
        for name, shot in shots.items():
            context = browser.new_context(
                base_url=address,
                viewport={"width": shot.width, "height": shot.height},
                device_scale_factor=2 if shot.width < 600 else 1.5,
                color_scheme="dark" if shot.dark else "light",
                reduced_motion="reduce",
            )
            context.set_default_timeout(_PATIENCE)
            page = context.new_page()
            page.goto(shot.path)
            if shot.ask:
                page.get_by_role("searchbox").fill(shot.ask)
            page.wait_for_selector(shot.until)
            if shot.open_first:
                page.locator(shot.open_first).first.click()
                page.wait_for_selector(".steps")
            page.evaluate("document.activeElement.blur()")
            page.wait_for_load_state("networkidle")
            _write_webp(context.new_cdp_session(page), PICTURES / f"{name}.webp")
            context.close()


def _pages_of(folders: list[str]) -> dict[str, str]:
    """Reads the folders, and names the page of each of their documents."""
    pages = {}
    for folder in folders:
        _octavo("start", folder, "--name", "files")
        for document in json.loads(_octavo("list", "--documents", "-c", "files", "--json"))["documents"]:
            pages[document["uri"].replace("/", "_")] = f"/document/files/{quote(document['uri'])}"
    return pages


def _photograph_every(address: str, home: Path, folder: Path, pages: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with _browser(home) as browser:
        for width, scheme in ((width, scheme) for width in (1440, 390) for scheme in ("light", "dark")):
            context = browser.new_context(
                base_url=address, viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
            )
            context.set_default_timeout(_PATIENCE)
            page = context.new_page()
            for name, path in pages.items():
                page.goto(path)
                if name in FOLLOWED:
                    page.locator(FOLLOWED[name]).first.click()
                if name == "difference":
                    page.locator("textarea").fill("Read the list aloud.\n\n1. Warm the camera, one degree a minute.")
                    page.locator("main button").first.click()
                page.wait_for_load_state("networkidle")
                if page.locator("#answer:visible").count():
                    page.wait_for_selector('#answer:not(:has-text("Looking"))')  # without eval, which pages forbid
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
                if (wide := page.evaluate("document.documentElement.scrollWidth")) > width:
                    print(f"{name} is {wide} pixels wide on a screen of {width}")
                if name == "login":
                    page.fill("input[name=token]", _TOKEN)
                    page.click("form.login button")
                    page.wait_for_load_state("networkidle")
            context.close()


@contextmanager
def _browser(home: Path) -> Iterator[Any]:
    fonts = home / "fonts.conf"
    fonts.write_text(_FONTS, "utf-8")
    with sync_playwright() as driver:
        started = driver.chromium.launch(
            executable_path=_CHROMIUM, args=["--no-sandbox"], env={**os.environ, "FONTCONFIG_FILE": str(fonts)}
        )
        yield started
        started.close()


def _write_webp(session: Any, path: Path) -> None:
    """Chromium writes WebP itself; Playwright asks it for PNG and JPEG only, which are several times as large."""
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    path.write_bytes(base64.b64decode(taken["data"]))


async def _terminal() -> None:
    client = LibraryClient(load({}).config)
    try:
        app = OctavoApp(client)
        app.animation_level = "none"
        async with app.run_test(size=(120, 32)) as pilot:
            await pilot.pause()
            await pilot.press(*("space" if letter == " " else letter for letter in QUESTION))
            for _ in range(600):
                await pilot.pause(0.05)
                if app.screen.query_one("#hits", OptionList).option_count:
                    break
            await pilot.press("down", "down")
            await pilot.pause(0.5)
            _write_svg(app.export_screenshot(title="octavo tui"), PICTURES / "terminal.svg")
    finally:
        client.close()


def _command(command: tuple[str, ...], name: str, home: Path) -> None:
    """What a command says, as a terminal shows it."""
    said = _octavo(*command[1:]).replace(str(home), "~").rstrip()
    console = Console(record=True, width=92, file=StringIO(), highlight=False)
    console.print(Text.assemble(("$ ", "dim"), (" ".join(command), "bold")))
    console.print(Text(said))
    _write_svg(console.export_svg(title=CLIENTS[name].title, unique_id=name), PICTURES / f"client-{name}.svg")


def _write_svg(drawn: str, path: Path) -> None:
    """Without the fonts that the drawing would fetch from elsewhere; those of the machine do."""
    plain = re.sub(r"@font-face\s*\{.*?\}", "", drawn, flags=re.DOTALL)
    plain = "\n".join(line.rstrip() for line in plain.splitlines() if line.strip())
    path.write_text(plain + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
