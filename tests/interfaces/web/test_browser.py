"""The page in a real browser, where one is installed."""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

import pytest
from cli_calls import surroundings
from http_calls import SETTINGS, running
from language_model_services import model_served
from web_calls import PATIENCE, Site

from octavo.engine.wiring import open_library

SCREENS = os.environ.get("OCTAVO_SCREENS")
"""A folder for pictures of every page; `OCTAVO_SCREENS=build/screens ./dev test tests/interfaces/web` fills it."""

PAGES = {
    "welcome": "/",
    "results": "/?q=oven",
    "marked-titles": "/?q=apple trees",
    "no-match": "/?q=qqqqzzzz",
    "not-a-query": '/?q="oven',
    "trace": "/trace?q=oven",
    "inspect": "/inspect/notes/bread.md?q=oven",
    "document": "/document/notes/garden/apples.md?lines=11-15#cited",
    "everything": "/document/notes/everything.md",
    "changes": "/document/notes/bread.md?changes=2",
    "code": "/document/notes/kitchen/oven.py?lines=8-9#cited",
    "ask": "/ask",
    "answer": "/ask?q=when does the starter need food",
    "memories": "/memories",
    "memory": "/memory/{memory}",
    "graph": "/graph",
    "map": "/map",
    "evaluation": "/evaluation",
    "library": "/library",
    "collection": "/collection/notes",
    "project": "/project/default",
    "jobs": "/jobs",
    "models": "/models",
    "model": "/model/octavo-encoder-2",
    "docs": "/docs",
    "settings": "/settings",
    "login": "/login",
}
SIZES = {"telephone": (420, 800), "desk": (1280, 800), "wall": (3840, 2160)}


def axe() -> str:
    """The checker's script. It is under another licence than Octavo and is no part of it: a wheel has it."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe is not installed: pip install axe-playwright-python")
    return Path(found.origin).with_name("axe.min.js").read_text("utf-8")


def opened(page: Any, site: Site, name: str) -> None:
    page.goto(PAGES[name].format(memory=site.memory))
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("colours", ["light", "dark"] if SCREENS else ["light"])
def test_no_page_is_wider_than_its_window_and_pictures_are_taken(
    page: Any, site: Site, name: str, colours: str
) -> None:
    """The window grows around a page that is loaded once; for a picture, the page is loaded in a window of its size."""
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    for number, (size, (width, height)) in enumerate(SIZES.items()):
        page.set_viewport_size({"width": width, "height": height})
        if SCREENS or not number:
            opened(page, site, name)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if SCREENS:
            page.screenshot(path=Path(SCREENS) / f"{name}-{size}-{colours}.png", full_page=size != "wall")


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_to_complain_about(page: Any, site: Site, name: str) -> None:
    script = axe()
    opened(page, site, name)
    page.evaluate(script)
    for colours, (width, height) in (("light", SIZES["desk"]), ("dark", SIZES["desk"]), ("light", SIZES["telephone"])):
        page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": height})
        found = page.evaluate("axe.run()")["violations"]
        assert [(one["id"], one["help"], [node["html"] for node in one["nodes"]]) for one in found] == []


def test_hits_come_while_one_types_and_the_address_holds_the_search(page: Any) -> None:
    page.goto("/")
    page.keyboard.type("starter")
    page.wait_for_selector("a.open")
    page.wait_for_url("**/?q=starter*")
    assert "bread.md" in page.inner_text("ol.documents")
    page.reload()
    assert page.input_value("#query") == "starter"
    assert "bread.md" in page.inner_text("ol.documents")


def test_why_a_hit_is_there_is_told_once_it_is_asked_for(page: Any) -> None:
    page.goto("/")
    page.keyboard.type("starter")
    page.click(".why.later summary")
    page.wait_for_selector(".why .steps")
    assert "lexical" in page.inner_text(".why .steps")


def test_a_question_mark_shows_the_keys_in_an_empty_field_and_is_typed_in_a_question(page: Any) -> None:
    page.goto("/")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.type("how is bread baked?")
    assert page.input_value("#query") == "how is bread baked?"
    page.wait_for_selector("#answer .hint")


def test_the_field_in_the_head_of_every_page_searches_and_a_key_leads_to_it(page: Any) -> None:
    page.goto("/library")
    page.keyboard.press("/")
    page.keyboard.type("starter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=starter")
    assert "bread.md" in page.inner_text("ol.documents")


def test_hits_are_narrowed_to_a_tag_and_widened_again(page: Any) -> None:
    page.goto("/?q=oven")
    assert page.locator(".document").count() > 2
    page.click(".facets >> text=garden")
    page.wait_for_url("**tags_all=garden*")
    assert page.locator(".document").count() == 1
    page.click(".facets >> text=garden")
    page.wait_for_url(lambda address: "tags_all" not in address)


def test_the_keyboard_leads_to_a_hit_and_the_back_button_to_the_search(page: Any) -> None:
    page.goto("/?q=starter")
    page.keyboard.press("Escape")
    assert page.input_value("#query") == "starter"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("#cited")
    page.go_back()
    page.wait_for_selector("a.open")
    page.focus("a.open")
    page.keyboard.press("?")
    assert page.is_visible("#keys")


def test_an_answer_comes_in_sentences_that_open_where_they_are_taken_from(page: Any) -> None:
    page.goto("/ask")
    page.fill("#main [name=q]", "when does the starter need food?")
    page.keyboard.press("Enter")
    page.wait_for_selector("#end .sources")
    assert "Feed the starter in the evening." in page.inner_text("#answer")
    assert page.inner_text("#state") == ""
    cited = page.locator("#answer .cite-link").first
    number, place = cited.inner_text(), cited.get_attribute("title").split(" · ")[0]
    first = page.locator("#end .sources li").first.inner_text()
    assert (
        number == "[1]" and first.startswith(number) and first.endswith(place) and place.startswith("notes/bread.md:")
    )
    cited.click()
    page.wait_for_selector("#cited")


MODEL = """
[llm.models.local]
provider = "openai"
model = "scripted"
url = "{url}"
[llm.roles]
answer = "local"
"""


def test_what_a_model_says_is_shown_and_marked_where_no_passage_says_it(tmp_path: Path, browser: Any) -> None:
    folder, library = tmp_path / "notes", tmp_path / "library.db"
    folder.mkdir()
    (folder / "bread.md").write_text("# Bread\n\nFeed the sourdough starter every morning.\n", "utf-8")
    with open_library(library, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
    reply = "Feed the sourdough starter every morning. [1] Inferred: Penguins eat satellites for breakfast [1]."
    with model_served(reply) as service:
        (tmp_path / "config.toml").write_text(MODEL.format(url=service.url), "utf-8")
        environ = surroundings(tmp_path) | {"OCTAVO_CONFIG": str(tmp_path / "config.toml")}
        with running(["--library", str(library), "--no-watch"], environ) as started:
            page = browser.new_page(base_url=started.address)
            page.set_default_timeout(PATIENCE)
            page.goto(started.page)
            page.goto("/ask")
            page.fill("#main [name=q]", "when does the starter need food?")
            page.select_option("[name=mode]", "insight")
            page.click("#main button")
            page.wait_for_selector("#end .sources")
            doubted = page.locator("#answer .unsupported")
            assert "Penguins eat satellites" in doubted.inner_text()
            assert "unsupported" in doubted.inner_text()
            assert "Feed the sourdough starter" in page.locator("#answer p").first.inner_text()
            if SCREENS:
                page.screenshot(path=Path(SCREENS) / "doubted-answer.png")
            page.close()


def test_an_answer_is_there_without_scripts(site: Site, browser: Any) -> None:
    context = browser.new_context(base_url=site.address, java_script_enabled=False)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(site.page)
    page.goto("/ask?q=when does the starter need food?")
    page.click("noscript button")
    page.wait_for_selector("#end .sources")
    context.close()


def test_a_document_shows_what_each_version_changed_and_what_it_said(page: Any) -> None:
    page.goto("/document/notes/bread.md")
    page.click("text=changes")
    assert "very hot oven" in page.inner_text(".diff .added")
    assert "very" not in page.inner_text(".diff .removed")
    page.click("text=version 1")
    page.wait_for_selector("text=not the last")
    assert "very" not in page.inner_text("article")
    page.click("text=version 2")
    page.wait_for_url("**?version=2")
    assert "not the last" not in page.inner_text("main")


def test_a_slider_shows_a_memory_as_it_was(page: Any, site: Site) -> None:
    page.goto(f"/memory/{site.memory}")
    assert "30 degrees" in page.inner_text("article")
    page.focus("#at")
    page.keyboard.press("Home")
    page.wait_for_url("**?at=*")
    assert "20 degrees" in page.inner_text("article")


def test_hostile_titles_run_nothing(page: Any) -> None:
    page.goto("/?q=zeppelin")
    page.wait_for_selector("a.open")
    page.click("a.open")
    page.wait_for_selector("#cited")
    assert page.title() != "broken"
    assert page.locator("img").count() == 0
    assert page.locator("a[href^=javascript]").count() == 0


def test_the_graph_leads_from_a_name_to_its_document(page: Any) -> None:
    page.goto("/graph")
    page.fill("#find", "bread")
    page.click("#found li")
    page.click("#where a")
    page.wait_for_url("**/document/notes/bread.md")
    assert "Feed the starter" in page.inner_text("article")


def test_the_graph_finds_documents_that_nothing_links_to(page: Any) -> None:
    page.goto("/graph")
    page.uncheck("#alone")
    page.fill("#find", "hostile")
    page.click("#found li")
    page.click("#where a")
    page.wait_for_url("**/document/notes/hostile.md")


@pytest.mark.parametrize("path", ["/graph", "/map"])
def test_two_fingers_and_buttons_zoom_the_drawing(page: Any, path: str) -> None:
    """What is drawn changes with every zoom, and is as before once all is shown again."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(path)
    picture = "document.getElementById('drawing').toDataURL()"
    drawn = steady(page, picture)
    page.click("#nearer")
    nearer = steady(page, picture)
    page.click("#fit")
    assert drawn != nearer
    pinch = """() => { const canvas = document.getElementById("drawing"), box = canvas.getBoundingClientRect();
        const touch = (type, id, x) => canvas.dispatchEvent(new PointerEvent(type,
            { pointerId: id, clientX: box.left + x, clientY: box.top + 200, bubbles: true }));
        canvas.setPointerCapture = () => {};
        touch("pointerdown", 1, 150); touch("pointerdown", 2, 250); touch("pointermove", 2, 350);
        touch("pointerup", 1, 150); touch("pointerup", 2, 350); }"""
    whole = steady(page, picture)
    page.evaluate(pinch)
    assert steady(page, picture) != whole


def steady(page: Any, picture: str) -> str:
    """The drawing once it no longer changes from one frame to the next."""
    before, now = "", str(page.evaluate(picture))
    while before != now:
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        before, now = now, str(page.evaluate(picture))
    return now


def test_passages_taken_with_the_lasso_are_searched(page: Any) -> None:
    page.goto("/map")
    assert page.locator("#legend li").count() == 2
    page.click("#lasso")
    corners = [(5, 80), (970, 80), (970, 700), (5, 700), (5, 90)]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner)
    page.mouse.up()
    page.wait_for_selector("#picked li")
    assert "passages of" in page.inner_text("#count").lower()
    page.click("#search a")
    page.wait_for_url("**/?q=*uris=*")
    page.wait_for_selector(".summary")


def test_a_point_of_the_map_says_what_it_is_and_its_cluster_can_be_left_out(page: Any) -> None:
    page.goto("/map")
    data = json.loads(page.evaluate("document.getElementById('data').textContent"))
    first = data["points"][0]
    drawn = page.locator("#drawing").bounding_box()
    panel = page.locator("#panel").bounding_box()
    room = (drawn["width"] - panel["width"], drawn["height"])
    low, high = ([side(point[axis] for point in data["points"]) for axis in (0, 1)] for side in (min, max))
    scale = 0.92 * min(room[axis] / (high[axis] - low[axis]) for axis in (0, 1))
    x, y = (room[axis] / 2 + (first[axis] - (low[axis] + high[axis]) / 2) * scale for axis in (0, 1))
    page.mouse.move(x, drawn["y"] + y)
    page.wait_for_function("title => document.getElementById('said').textContent.startsWith(title)", arg=first[3])
    page.click("#legend button")
    assert page.locator("#legend li.off").count() == 1


def test_a_token_is_asked_for_once_and_then_the_page_writes(tmp_path: Path, browser: Any) -> None:
    folder, library, token = tmp_path / "notes", tmp_path / "library.db", tmp_path / "token"
    folder.mkdir()
    (folder / "bread.md").write_text("# Bread\n\n## Starter\n\nFeed the sourdough every morning.\n", "utf-8")
    token.write_text("0123456789abcdef0123", "utf-8")
    token.chmod(0o600)
    with open_library(library, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()
    arguments = ["--library", str(library), "--write", "--token-file", str(token)]
    with running(arguments, {"OCTAVO_EMBEDDING_PROVIDER": "hashing"}) as started:
        context = browser.new_context(base_url=started.address)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto("/memories")
        page.fill("[name=token]", "0123456789abcdef0123")
        page.click("button")
        page.wait_for_selector("#query")
        page.goto("/memories")
        page.click("summary")
        page.fill("#text", "The oven runs hot.")
        page.click(".remember button")
        page.wait_for_url("**/memory/*")
        assert "The oven runs hot." in page.inner_text("main h1")
        context.close()
