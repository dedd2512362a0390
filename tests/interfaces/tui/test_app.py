"""The app in the terminal, driven by its keys; what a person sees is held by golden pictures."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_calls import Octavo, Vault

textual = pytest.importorskip("textual", reason="textual is not installed")

from textual.pilot import Pilot  # noqa: E402
from textual.widgets import DataTable, Input, Log, OptionList, Static, TabbedContent  # noqa: E402
from textual.worker import WorkerCancelled  # noqa: E402

from octavo.config.layered_config_loading import load  # noqa: E402
from octavo.interfaces.daemon.server_or_local_library import LibraryClient  # noqa: E402
from octavo.interfaces.tui.answer_rendering import preview_text, rendered_markdown  # noqa: E402
from octavo.interfaces.tui.app_with_screens import OctavoApp  # noqa: E402
from octavo.interfaces.tui.ask_screen import sentence_text  # noqa: E402
from octavo.interfaces.tui.dialogs import AdvisoriesDialog, ConfirmDialog, FiltersDialog, RunDialog  # noqa: E402
from octavo.interfaces.tui.library_client_app import Navigation  # noqa: E402
from octavo.interfaces.tui.library_screen import TABS, indexing  # noqa: E402
from octavo.interfaces.tui.reading_screen import ReadingScreen  # noqa: E402
from octavo.model.maintenance_advisory import Advisory  # noqa: E402
from octavo.operations.answering.results import AnswerSentence, AskAnswer  # noqa: E402

GOLDEN = Path(__file__).parents[2] / "golden" / "tui"
DRAWN_BY = "8.2.8"  # another version of Textual draws its own way
UPDATE = os.environ.get("OCTAVO_UPDATE_GOLDEN") == "1"


@pytest.fixture(autouse=True)
def by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_RETRIEVAL_PROFILE", "lexical_only")


class Elsewhere(LibraryClient):
    """Answers with the folder and the day of the pictures."""

    def ask(self, operation: str, **arguments: Any) -> Any:
        answer = super().ask(operation, **arguments)
        if operation == "collections_list":
            listed = (replace(collection, root="/home/ann/notes") for collection in answer.collections)
            return replace(answer, collections=tuple(listed))
        if operation == "memory_history":
            changes = (replace(change, at="2026-01-05T12:00:00+00:00") for change in answer.changes)
            return replace(answer, changes=tuple(changes))
        if operation == "recent":
            documents = (replace(document, modified_at="2026-01-05T12:00:00+00:00") for document in answer.documents)
            return replace(answer, documents=tuple(documents))
        return answer


@pytest.fixture
def client(vault: Vault) -> Iterator[LibraryClient]:
    asked = Elsewhere(load({}).config)
    yield asked
    asked.close()


def drive(
    client: LibraryClient, play: Callable[[OctavoApp, Pilot[None]], Awaitable[None]], size: tuple[int, int] = (80, 24)
) -> None:
    async def run() -> None:
        app = OctavoApp(client)
        app.animation_level = "none"  # a picture is of where things end up, not of the way there
        async with app.run_test(size=size) as pilot:
            await play(app, pilot)

    asyncio.run(run())


async def until(pilot: Pilot[None], true: Callable[[], object]) -> None:
    """Waits for something to be so, however slow the machine is."""
    for _ in range(6_000):
        if true():
            with suppress(WorkerCancelled):  # by a later look at the same thing
                await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            return
        await pilot.pause(0.02)
    raise AssertionError("it never came to be so")


def said(app: OctavoApp, selector: str) -> str:
    return str(app.screen.query_one(selector, Static).render())


def passages(app: OctavoApp) -> list[str]:
    """What the ask screen lists below an answer."""
    listed = app.screen.query_one("#passages", OptionList)
    return [str(listed.get_option_at_index(place).prompt) for place in range(listed.option_count)]


def stand_in_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sets an editor that writes what it was asked to open into the file that is returned."""
    opened, editor = tmp_path / "opened", tmp_path / "vim"
    editor.write_text(f'#!/bin/sh\necho "$@" > {opened}\n', "utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    return opened


async def searched(app: OctavoApp, pilot: Pilot[None], query: str) -> None:
    await pilot.press(*("space" if letter == " " else letter for letter in query))
    await until(pilot, lambda: (answer := app.search_screen.answer) is not None and answer.query == query)


def test_the_start_page_lists_what_changed_last_and_enter_reads_it(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: app.search_screen.recent)
        assert "Type words or a question" in said(app, "#passage")
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReadingScreen))
        assert app.screen.place.uri == app.search_screen.recent[0].uri  # type: ignore[attr-defined]

    drive(client, play)


def test_enter_opens_a_reading_view_at_the_passage_and_e_an_editor_only_where_one_is_set(
    client: LibraryClient, vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = stand_in_editor(tmp_path, monkeypatch)

    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "sourdough")
        await pilot.press("enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReadingScreen) and "sourdough" in said(app, "#cited").lower())
        assert "# " not in said(app, "#cited")
        with monkeypatch.context() as patch:
            patch.delenv("EDITOR")
            await pilot.press("e")
            assert not opened.exists()
        await pilot.press("e")
        await until(pilot, lambda: opened.exists() and opened.read_text("utf-8").endswith("\n"))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.search_screen)

    drive(client, play)
    assert opened.read_text("utf-8") == f"+1 {vault.folder / 'bread.md'}\n"


def test_markdown_in_a_terminal_has_no_signs_and_marks_the_words() -> None:
    drawn = rendered_markdown("# Dome\n\n> [!info] Mind **[[The dome|it]]**\n\nIt *turns* slowly.\n", "turns", 40)
    assert not {"#", "*", "[["} & set(drawn.plain) and "Info: Mind it" in drawn.plain
    assert [drawn.plain[span.start : span.end] for span in drawn.spans if span.style == "reverse"] == ["turns"]


def test_every_key_is_reachable_in_sixty_columns(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await pilot.pause()
        assert len(str(app.screen.query_one(Navigation).render())) <= 58
        keys = app.screen.query("FooterKey").results()
        assert max(key.region.right for key in keys) <= 60

    drive(client, play, (60, 24))


def test_hits_come_while_one_types_and_the_passage_is_shown_as_it_reads(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "prune winter")
        hit = app.search_screen.hit
        assert hit is not None
        assert hit.uri == "garden/apples.md"
        await until(pilot, lambda: "Prune in late winter" in said(app, "#passage"))
        assert "#" not in said(app, "#passage")
        assert "1 passage" in said(app, "#summary")

    drive(client, play)


def test_a_long_line_goes_on_below_its_own_beginning() -> None:
    drawn, row = preview_text("short\n" + "word " * 12, 7, (8, 8), "word", 40)
    lines = drawn.plain.splitlines()
    assert row == 1
    assert [line[:8].rstrip() for line in lines] == ["    7", "    8 ┃", "      ┃"]
    assert max(map(len, lines)) <= 40


def test_what_does_not_match_is_said(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "qqqqzzzz")
        assert said(app, "#summary") == "No match."

    drive(client, play)


def test_letters_typed_over_the_hits_go_on_with_the_query(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "prune")
        await pilot.press("down")
        assert app.search_screen.focused is app.search_screen.query_one("#hits")
        await pilot.press("space", "w", "i", "n", "t", "e", "r")
        await until(pilot, lambda: (answer := app.search_screen.answer) is not None and answer.query == "prune winter")

    drive(client, play)


def test_where_nothing_was_found_the_query_keeps_the_keys(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "qqqqzzzz")
        await pilot.press("down")
        assert app.search_screen.focused is app.search_screen.query_one("#query")

    drive(client, play)


def test_a_citation_is_copied(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "sourdough")
        await pilot.press("ctrl+y")
        assert app.clipboard == "notes/bread.md:1"

    drive(client, play)


def test_filters_narrow_a_search(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "sourdough")
        await pilot.press("ctrl+f")
        await until(pilot, lambda: isinstance(app.screen, FiltersDialog))
        app.screen.dismiss({"kinds": "code"})
        await until(pilot, lambda: app.search_screen.answer is not None and not app.search_screen.answer.hits)
        assert said(app, "#summary") == "No match. · nothing is of the kind code · code"

    drive(client, play)


def test_a_question_is_answered_with_numbered_passages(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await pilot.press("f6")
        await pilot.press(*"sourdough?", "enter")
        await until(pilot, lambda: passages(app))
        # Where a number leads is the place of the sentence, in the text and in the list.
        assert said(app, "#answer").startswith("[1] notes/bread.md:3  Sourdough bread\n")
        assert passages(app)[0] == "[1] Sourdough bread  notes/bread.md:3"

    drive(client, play)


def test_the_passages_of_an_answer_are_cited_and_read_as_hits_are(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await pilot.press("f6", *"sourdough?", "enter")
        await until(pilot, lambda: passages(app))
        await pilot.press("down", "ctrl+y")
        assert app.clipboard == "notes/bread.md:3"
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReadingScreen))

    drive(client, play)


def test_what_a_sentence_is_worth_is_said_once() -> None:
    doubted = AnswerSentence("Penguins eat satellites.", "unsupported", 0.1)
    assert sentence_text(doubted).plain == "Penguins eat satellites. (unsupported)\n\n"


def test_a_click_chooses_a_hit_and_a_smaller_window_keeps_it(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "the")
        await until(pilot, lambda: app.search_screen.hit is not None)
        first = app.search_screen.hit
        await pilot.click("#hits", offset=(4, 3))
        await until(pilot, lambda: app.search_screen.hit != first)
        chosen = app.search_screen.hit
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert app.search_screen.hit == chosen
        assert app.screen.has_class("-narrow")

    drive(client, play, (200, 50))


def test_a_passage_is_cut_anew_for_another_width(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await searched(app, pilot, "prune")
        await until(pilot, lambda: "Prune" in said(app, "#passage"))
        before = len(said(app, "#passage").splitlines())
        await pilot.resize_terminal(40, 24)
        await until(pilot, lambda: len(said(app, "#passage").splitlines()) > before)

    drive(client, play, (200, 50))


def test_the_trace_shows_every_stage_of_the_search(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await pilot.press("f4")
        assert "Search for something first" in said(app, "#summary")
        await pilot.press("f1")
        await searched(app, pilot, "sourdough")
        await pilot.press("f4")
        await pilot.pause()
        trace = app.search_screen.answer
        assert trace is not None
        assert trace.trace is not None
        assert app.screen.query_one("#trace").row_count == len(trace.trace)  # type: ignore[attr-defined]
        assert app.screen.query_one("#steps").row_count > 0  # type: ignore[attr-defined]
        last = f"{trace.trace[-1].stage}: "
        await pilot.press("ctrl+end")
        await until(pilot, lambda: said(app, "#detail").startswith(last))

    drive(client, play)


def test_every_tab_of_the_library_says_something(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await pilot.press("f2")
        for tab in TABS:
            app.screen.query_one(TabbedContent).active = tab
            await until(pilot, lambda tab=tab: said(app, f"#{tab}-text").strip())

    drive(client, play)


def test_prune_warns_before_it_runs(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await pilot.press("f2", "p")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("n")
        await until(pilot, lambda: not isinstance(app.screen, ConfirmDialog))
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, RunDialog) and app.screen.code is not None)
        assert isinstance(app.screen, RunDialog)
        assert app.screen.code == 0
        assert app.screen.query_one(Log).lines

    drive(client, play)


def test_an_advisory_is_run_by_its_number(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: app.roots)
        app.advise((Advisory("info", "all is well"), Advisory("warn", "look", "octavo version")), app.roots)
        assert said(app, "#advice") == "▲ F5 (2): look"
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, AdvisoriesDialog))
        await pilot.press("1")
        assert isinstance(app.screen, AdvisoriesDialog)
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, RunDialog) and app.screen.code is not None)
        assert isinstance(app.screen, RunDialog)
        assert app.screen.command == "octavo version"
        assert app.screen.code == 0

    drive(client, play)


def test_advisories_are_those_of_status(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: app.roots)
        assert app.advisories == client.ask("status").advisories

    drive(client, play)


def remembered(octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_LIBRARY", str(tmp_path / "memories.db"))
    for arguments in (
        ("init",),
        ("remember", "The dome closes at dusk.", "--title", "Dome"),
        ("memory", "commit", "The dome closes at dawn.", "--item", "Dome"),
    ):
        assert octavo(*arguments).exit_code == 0


def test_a_memory_shows_its_history_and_what_changed(
    octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remembered(octavo, tmp_path, monkeypatch)
    asked = LibraryClient(load({}).config)

    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await pilot.press("f3")
        await until(pilot, lambda: "History" in said(app, "#memory"))
        shown = said(app, "#memory")
        assert "version 2" in shown
        assert "-The dome closes at dusk." in shown
        assert "+The dome closes at dawn." in shown
        await pilot.press("ctrl+b")
        await until(pilot, lambda: asked.ask("recall", query="").memories[0].pinned)
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.press("y")
        await until(pilot, lambda: not asked.ask("recall", query="").memories)

    drive(asked, play)
    asked.close()


@pytest.mark.skipif(textual.__version__ != DRAWN_BY, reason=f"the pictures were drawn by Textual {DRAWN_BY}")
@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_history_of_a_memory_looks_as_it_was_approved(
    octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    remembered(octavo, tmp_path, monkeypatch)
    asked = Elsewhere(load({}).config)

    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        app.advise((), app.roots)
        await pilot.press("f3")
        await until(pilot, lambda: "History" in said(app, "#memory"))
        await looks_as(f"memory-history-{size[0]}x{size[1]}", app, pilot)

    drive(asked, play, size)
    asked.close()


@pytest.mark.skipif(textual.__version__ != DRAWN_BY, reason=f"the pictures were drawn by Textual {DRAWN_BY}")
@pytest.mark.parametrize("size", [(80, 24), (120, 30), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_search_screen_looks_as_it_was_approved(client: LibraryClient, size: tuple[int, int]) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: app.roots)
        app.advise((), app.roots)
        await searched(app, pilot, "prune winter")
        await until(pilot, lambda: "Prune in late winter" in said(app, "#passage"))
        await looks_as(f"search-{size[0]}x{size[1]}", app, pilot)

    drive(client, play, size)


@pytest.mark.skipif(textual.__version__ != DRAWN_BY, reason=f"the pictures were drawn by Textual {DRAWN_BY}")
def test_the_dialogs_look_as_they_were_approved(client: LibraryClient) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: app.roots and said(app, "#summary"))
        app.advise((Advisory("warn", "none were made", "octavo cluster build"), Advisory("info", "well")), app.roots)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, AdvisoriesDialog))
        await looks_as("advisories", app, pilot)

    drive(client, play)


async def _asked(app: OctavoApp, pilot: Pilot[None]) -> None:
    answered = app.answer

    def timed(question: str, tell: Callable[[AnswerSentence], None]) -> AskAnswer | None:
        answer = answered(question, tell)
        return answer and replace(answer, took_ms=12.0)

    vars(app)["answer"] = timed
    await pilot.press("f6", *"sourdough?", "enter")
    await until(pilot, lambda: passages(app))


async def _no_memories(app: OctavoApp, pilot: Pilot[None]) -> None:
    await pilot.press("f3")
    await until(pilot, lambda: said(app, "#memory").strip())


async def _no_problems(app: OctavoApp, pilot: Pilot[None]) -> None:
    await pilot.press("f2")
    app.screen.query_one(TabbedContent).active = "problems"
    await until(pilot, lambda: said(app, "#problems-text").strip() and said(app, "#indexing"))


async def _pruning(app: OctavoApp, pilot: Pilot[None]) -> None:
    await _no_problems(app, pilot)
    await pilot.press("p")
    await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))


async def _filtering(app: OctavoApp, pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+f")
    await until(pilot, lambda: isinstance(app.screen, FiltersDialog))


async def _traced(app: OctavoApp, pilot: Pilot[None]) -> None:
    await searched(app, pilot, "prune winter")
    answer = app.search_screen.answer
    assert answer is not None
    assert answer.trace is not None
    stages = tuple(replace(stage, took_ms=1.5) for stage in answer.trace)
    app.search_screen.answer = replace(answer, took_ms=12.0, trace=stages)
    await pilot.press("f4")
    await until(pilot, lambda: app.screen.query_one("#trace", DataTable).row_count == len(stages))


async def _collections(app: OctavoApp, pilot: Pilot[None]) -> None:
    await pilot.press("f2")
    app.screen.query_one(TabbedContent).active = "collections"
    await until(pilot, lambda: "notes" in said(app, "#collections-text") and said(app, "#indexing"))


SCREENS = {
    "trace": _traced,
    "collections": _collections,
    "ask": _asked,
    "memories-none": _no_memories,
    "library-problems": _no_problems,
    "prune": _pruning,
    "filters": _filtering,
}


@pytest.mark.skipif(textual.__version__ != DRAWN_BY, reason=f"the pictures were drawn by Textual {DRAWN_BY}")
@pytest.mark.parametrize("name", SCREENS)
def test_the_other_screens_look_as_they_were_approved(client: LibraryClient, name: str) -> None:
    async def play(app: OctavoApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: app.roots and said(app, "#summary"))
        app.advise((), app.roots)
        await SCREENS[name](app, pilot)
        await looks_as(name, app, pilot)

    drive(client, play)


async def looks_as(name: str, app: OctavoApp, pilot: Pilot[None]) -> None:
    """Waits for the approved picture: a footer or a tab may be drawn some refreshes after what it belongs to."""
    for field in (field for screen in app.screen_stack for field in screen.query(Input)):
        field.cursor_blink = False
    path, picture = GOLDEN / f"{name}.svg", ""
    approved = path.read_text("utf-8") if path.exists() and not UPDATE else None
    for _ in range(250):
        await pilot.pause(0.02)
        earlier, picture = picture, re.sub(r"terminal-\d+", "terminal", app.export_screenshot(simplify=True))
        if picture == (earlier if UPDATE else approved):
            break
    if UPDATE:
        path.write_text(picture, "utf-8")
    else:
        assert picture == approved


def test_without_colours_the_app_is_drawn_in_one(client: LibraryClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert OctavoApp(client).no_color


def test_how_far_a_run_is_stands_in_a_line(client: LibraryClient) -> None:
    status = client.ask("status")
    assert indexing(status) == f"{status.documents:,} documents, {status.chunks:,} passages"


def test_off_a_terminal_the_app_says_what_works_without_one(octavo: Octavo, vault: Vault) -> None:
    result = octavo("tui")
    assert result.exit_code == 2
    assert "octavo pick" in result.stderr


def test_without_the_extra_the_error_names_the_command_that_installs_it(vault: Vault) -> None:
    code = "import sys; sys.modules['textual'] = None; from octavo.interfaces.cli.main import cli; cli.main(['tui'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 3
    assert "pip install 'textual" in done.stderr
