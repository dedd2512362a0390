"""Dialogs over a screen: advice with its commands, a command that runs, a question before one does, filters."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Log, Select, Static

from octavo.model.document import Kind
from octavo.model.maintenance_advisory import Advisory

ANY_TIME = (("any time", ""), ("today", "1d"), ("this week", "7d"), ("this month", "30d"), ("this year", "365d"))


class AdvisoriesDialog(ModalScreen[str | None]):
    """Everything `octavo status` advises; a number runs the command of an advisory."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f5", "close", "Close"),
        *(Binding(str(number), f"take({number})", show=False) for number in range(1, 10)),
    ]

    def __init__(self, advisories: Sequence[Advisory]) -> None:
        super().__init__()
        self._advisories = advisories

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box"):
            yield Label("Advisories")
            if not self._advisories:
                yield Static("Nothing needs to be done.", classes="keys")
            for number, advisory in enumerate(self._advisories, 1):
                yield Static(
                    f"\n{'▲' if advisory.level == 'warn' else '·'} {advisory.message}",
                    markup=False,
                    classes=f"-{advisory.level}",
                )
                if advisory.command:
                    yield Static(f"  {number} runs {advisory.command}", markup=False, classes="keys")
            yield Static("\nEsc closes", classes="keys")

    def action_take(self, number: int) -> None:
        if number <= len(self._advisories) and (command := self._advisories[number - 1].command):
            self.dismiss(command)

    def action_close(self) -> None:
        self.dismiss(None)


class RunDialog(ModalScreen[int | None]):
    """A command of Octavo and what it prints. Closing the dialog does not end the command."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter", "close", "Close")]

    def __init__(self, command: str, surroundings: Mapping[str, str]) -> None:
        """`surroundings` are environment variables, which say what the library is."""
        super().__init__()
        self.command = command
        self.code: int | None = None
        self._surroundings = surroundings

    def compose(self) -> ComposeResult:
        with Vertical(classes="box run"):
            yield Label(self.command, markup=False)
            yield Log(id="printed")
            yield Static("runs …", id="state", classes="keys")

    def on_mount(self) -> None:
        self._run()

    @work(exit_on_error=False)
    async def _run(self) -> None:
        arguments = shlex.split(self.command)[1:]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "octavo",
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, **self._surroundings},
        )
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self.query_one(Log).write(line.decode("utf-8", "replace"))
        self.code = await process.wait()
        ended = "done" if self.code == 0 else f"ended with code {self.code}"
        self.query_one("#state", Static).update(f"{ended} · Esc closes")

    def action_close(self) -> None:
        self.dismiss(self.code)


class ConfirmDialog(ModalScreen[str | None]):
    """What a command is going to do, before it does. With `asks`, it needs something to be typed, which is returned."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,n", "no", "No"), Binding("y", "yes", "Yes")]

    def __init__(self, title: str, warning: str, asks: str = "") -> None:
        super().__init__()
        self._title = title
        self._warning = warning
        self._asks = asks

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Label(self._title, markup=False)
            yield Static(f"\n{self._warning}\n", markup=False)
            if self._asks:
                yield Input(placeholder=self._asks, id="typed")
            with Horizontal(classes="buttons"):
                yield Button("Go on (y)", id="yes", variant="warning")
                yield Button("Leave it (Esc)", id="no")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.action_yes() if event.button.id == "yes" else self.action_no()

    def on_input_submitted(self) -> None:
        self.action_yes()

    def action_yes(self) -> None:
        typed = self.query_one("#typed", Input).value.strip() if self._asks else "yes"
        if typed:
            self.dismiss(typed)

    def action_no(self) -> None:
        self.dismiss(None)


class FiltersDialog(ModalScreen[dict[str, str] | None]):
    """What a search is narrowed to. The query takes the same as words: `in:` `kind:` `tag:` `path:` `title:`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close")]

    def __init__(self, collections: Sequence[str], chosen: dict[str, str]) -> None:
        super().__init__()
        self._collections = collections
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        kinds = [(kind.value, kind.value) for kind in Kind]
        options = {
            "collections": [("every collection", ""), *((name, name) for name in self._collections)],
            "kinds": [("every kind", ""), *kinds],
            "modified_after": list(ANY_TIME),
        }
        with Vertical(classes="box"):
            yield Label("Filters")
            for name, values in options.items():
                yield Select(values, value=self._chosen.get(name, ""), allow_blank=False, id=name, compact=True)
            yield Input(self._chosen.get("tags_all", ""), placeholder="tag", id="tags_all", compact=True)
            with Horizontal(classes="buttons"):
                yield Button("Search", id="search", variant="primary")

    def on_button_pressed(self) -> None:
        self.on_input_submitted()

    def on_input_submitted(self) -> None:
        chosen = {select.id or "": str(select.value) for select in self.query(Select).results(Select)}
        chosen["tags_all"] = self.query_one("#tags_all", Input).value.strip()
        self.dismiss({name: value for name, value in chosen.items() if value})

    def action_close(self) -> None:
        self.dismiss(None)
