"""The reading view: a document as it reads, at the passage that was chosen."""

from __future__ import annotations

import os
from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Static

from octavo.fast_dataclass import Value
from octavo.interfaces.tui import answer_rendering
from octavo.interfaces.tui.answer_rendering import rendered_markdown
from octavo.interfaces.tui.library_client_app import LibraryApp
from octavo.operations.styled_answer_lines import visible

_WHOLE = 50_000  # tokens of a document in one view
SOURCE_KINDS = frozenset({"code", "config", "commit"})


class ReadPlace(Value):
    """The document to read, and the lines of it that were chosen."""

    collection: str
    uri: str
    kind: str
    title: str
    lines: tuple[int, int] = (1, 0)
    query: str = ""
    citation: str = ""

    @property
    def cited(self) -> str:
        return self.citation or f"{self.collection}/{self.uri}:{self.lines[0]}"


class ReadingScreen(Screen[None]):
    app: LibraryApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "app.pop_screen", "Back"),
        Binding("e", "edit", "Edit"),
        Binding("ctrl+y,y", "copy", "Cite"),
    ]

    def __init__(self, place: ReadPlace) -> None:
        super().__init__()
        self.place = place

    def compose(self) -> ComposeResult:
        place = visible(f"{self.place.collection}/{self.place.uri}")
        yield Static(Text.assemble((visible(self.place.title), "bold"), (f"  {place}", "dim")), id="reading-title")
        with VerticalScroll(id="document"):
            yield Static("", id="before", markup=False)
            yield Static("", id="cited", markup=False)
            yield Static("", id="after", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one("#document").focus()
        self._read(self.size.width - 4)

    def on_resize(self) -> None:
        self._read(self.size.width - 4)

    @work(thread=True, exclusive=True, group="reading", exit_on_error=False)
    def _read(self, width: int) -> None:
        place = self.place
        answer = self.app.ask("get", reference=place.uri, collection=place.collection, max_tokens=_WHOLE)
        if answer is not None:
            self.app.call_from_thread(self._show, *self._drawn(answer.text, width))

    def _drawn(self, text: str, width: int) -> tuple[Text, Text, Text]:
        first, last = self.place.lines
        if self.place.kind in SOURCE_KINDS:
            drawn, _ = answer_rendering.preview_text(text.rstrip("\n"), 1, (first, last), self.place.query, width)
            return Text(), drawn, Text()
        lines = text.split("\n")
        parts = (lines[: first - 1], lines[first - 1 : last], lines[max(last, first - 1) :])
        before, cited, after = (
            rendered_markdown("\n".join(part), query, width) if part else Text()
            for part, query in zip(parts, ("", self.place.query, ""), strict=True)
        )
        return before, cited, after

    def _show(self, before: Text, cited: Text, after: Text) -> None:
        for name, drawn in (("before", before), ("cited", cited), ("after", after)):
            self.query_one(f"#{name}", Static).update(drawn)
        self.query_one("#cited").set_class(bool(before.plain.strip() or after.plain.strip()), "-marked")
        self.call_after_refresh(self._scroll)

    def _scroll(self) -> None:
        if self.place.lines[1]:
            self.query_one("#document", VerticalScroll).scroll_to_widget(
                self.query_one("#cited"), animate=False, top=True
            )

    def action_edit(self) -> None:
        if not (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
            self.app.notify("Set EDITOR to the editor that e should open.", severity="warning")
            return
        self.app.open_in_editor(self.place.collection, self.place.uri, self.place.lines[0])

    def action_copy(self) -> None:
        self.app.copy_citation(self.place.cited)
