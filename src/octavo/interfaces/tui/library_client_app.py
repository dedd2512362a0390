"""Base of the terminal app: asks the library, shows advisories, opens editors and switches screens."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from textual import work
from textual.app import App, SuspendNotSupported, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from octavo.config.layered_config_loading import library_location
from octavo.errors import OctavoError
from octavo.interfaces.daemon.server_or_local_library import LibraryClient
from octavo.interfaces.presenting.editor_command import editor_command
from octavo.interfaces.tui.dialogs import AdvisoriesDialog, RunDialog
from octavo.model.library_location import DatabaseUrl
from octavo.model.maintenance_advisory import Advisory
from octavo.operations.answering.results import AnswerSentence, AskAnswer

SCREENS = {"search": "Search", "library": "Library", "memory": "Memories", "trace": "Trace", "ask": "Ask"}
ADVISORIES = "f5"

KEYS = {"search": "f1", "library": "f2", "memory": "f3", "trace": "f4", "ask": "f6"}


class Navigation(Static):
    DEFAULT_CSS = "Navigation { height: 1; background: $panel; color: $text; padding: 0 1; }"

    def __init__(self, current: str) -> None:
        parts = []
        for name, title in SCREENS.items():
            label = f"[b reverse]{title}[/]" if name == current else title
            parts.append((KEYS[name], f"[@click=app.show('{name}')]{label}[/]"))
        parts.append((ADVISORIES, "[@click=app.advisories()]Advice[/]"))
        super().__init__(" ".join(f"[dim]{key.upper()}[/] {label}" for key, label in sorted(parts)))


_T = TypeVar("_T")


class LibraryApp(App[None]):
    """The screens are installed by name before the first is shown."""

    TITLE = "Octavo"
    CSS_PATH = "app.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 an instance variable of App
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(KEYS[name], f"show('{name}')", title, show=False) for name, title in SCREENS.items()),
        Binding(ADVISORIES, "advisories", "Advisories", show=False),
        Binding("ctrl+q", "quit", "Quit"),
    ]

    def __init__(self, client: LibraryClient, project: str | None = None) -> None:
        super().__init__()
        self.client = client
        self.roots: dict[str, str] = {}
        self.advisories: tuple[Advisory, ...] = ()
        place = library_location(client.config)
        library = place.secret if isinstance(place, DatabaseUrl) else str(place)
        # In the environment, not on a command line: everybody may read that, and a URL has a password.
        self.surroundings = {"OCTAVO_LIBRARY": library, **({"OCTAVO_PROJECT": project} if project else {})}

    def ask(self, operation: str, **arguments: Any) -> Any:
        """From a working thread: the answer, or None with what went wrong shown to whoever watches."""
        return self._said(lambda: self.client.ask(operation, **arguments))

    def answer(self, question: str, tell: Callable[[AnswerSentence], None]) -> AskAnswer | None:
        """From a working thread: the answer, its sentences told as they come, or None as `ask` has it."""
        return self._said(lambda: self.client.answer(question, tell))

    def _said(self, call: Callable[[], _T]) -> _T | None:
        try:
            return call()
        except OctavoError as error:
            message = f"{error.message}. {error.hint}" if error.hint else error.message
            self.call_from_thread(self.notify, message, severity="error", markup=False)
            return None

    @work(thread=True, exit_on_error=False)
    def look_at_advisories(self) -> None:
        status = self.ask("status")
        if status is not None:
            roots = {collection.name: collection.root for collection in status.collections if collection.root}
            self.call_from_thread(self.advise, status.advisories, roots)

    def advise(self, advisories: tuple[Advisory, ...], roots: dict[str, str]) -> None:
        self.advisories, self.roots = advisories, roots
        first = next(
            (advisory for advisory in advisories if advisory.level == "warn"), advisories[0] if advisories else None
        )
        strip = self.get_screen("search").query_one("#advice", Static)
        strip.set_class(first is not None, "-shown")
        if first is not None:
            more = f" ({len(advisories)})" if len(advisories) > 1 else ""
            sign = "▲" if first.level == "warn" else "·"
            strip.update(f"{sign} F5{more}: {first.message}")
            strip.set_class(first.level == "warn", "-warn")
            strip.set_class(first.level == "info", "-info")

    def open_in_editor(self, collection: str, uri: str, line: int) -> None:
        """Leaves the terminal to `$VISUAL` or `$EDITOR` until it ends."""
        root = self.roots.get(collection)
        if root is None or not (path := Path(root) / uri).is_file():
            self.notify(f"{uri} is not a file on this machine", severity="warning", markup=False)
            return
        try:
            command = editor_command(path, line, os.environ)
            try:
                with self.suspend():
                    subprocess.call(command)
            except SuspendNotSupported:
                subprocess.call(command, stdin=subprocess.DEVNULL)
        except (OctavoError, OSError) as error:
            self.notify(str(error), severity="error", markup=False)

    def copy_citation(self, citation: str) -> None:
        self.copy_to_clipboard(citation)
        self.notify(citation, title="Copied", markup=False)

    def action_show(self, name: str) -> None:
        if not self.screen.is_modal:
            self.switch_screen(name)

    def action_advisories(self) -> None:
        def ended(code: int | None) -> None:
            self.look_at_advisories()

        def taken(command: str | None) -> None:
            if command:
                self.push_screen(RunDialog(command, self.surroundings), ended)

        if not isinstance(self.screen, AdvisoriesDialog):
            self.push_screen(AdvisoriesDialog(self.advisories), taken)

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        for name, title in SCREENS.items():
            yield SystemCommand(title, f"Go to {title.lower()}", lambda name=name: self.action_show(name))
        yield SystemCommand("Advisories", "What should be done, and the commands that do it", self.action_advisories)
        for number, advisory in enumerate(self.advisories, 1):
            if advisory.command:
                run = RunDialog(advisory.command, self.surroundings)
                yield SystemCommand(
                    f"Advisory {number}: {advisory.command}", advisory.message, lambda run=run: self.push_screen(run)
                )
