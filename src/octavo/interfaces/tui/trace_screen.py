"""The trace screen: what each stage of the last search received, returned and took, and the steps of the chosen hit."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import DataTable, Footer, Static

from octavo.interfaces.tui import answer_rendering
from octavo.interfaces.tui.library_client_app import LibraryApp, Navigation
from octavo.interfaces.tui.search_screen import SearchScreen


class TraceScreen(Screen[None]):
    app: LibraryApp
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "app.show('search')", "Search")]

    def __init__(self, search: SearchScreen) -> None:
        super().__init__()
        self._search = search

    def compose(self) -> ComposeResult:
        yield Navigation("trace")
        yield Static("", id="summary", markup=False)
        yield DataTable(id="trace", cursor_type="row", zebra_stripes=True)
        yield Static("", id="detail", markup=False)
        yield DataTable(id="steps", cursor_type="row")
        yield Footer(compact=True)

    def on_screen_resume(self) -> None:
        trace, steps = self.query_one("#trace", DataTable), self.query_one("#steps", DataTable)
        for table in (trace, steps):
            table.clear(columns=True)
        search = self._search
        answer = search.answer
        if answer is None or not answer.trace:
            self.query_one("#summary", Static).update("Search for something first: its trace is shown here.")
            return
        hit = search.hit
        heading = f"{search.query_text} · {answer_rendering.summary(answer)} · {answer.took_ms:.1f} ms"
        self.query_one("#summary", Static).update(heading)
        trace.add_columns("stage", "shape", "in", "out", "ms", "detail")
        trace.add_rows(answer_rendering.stage_cells(stage) for stage in answer.trace)
        if hit:
            steps.add_columns(f"{hit.uri}:{hit.start_line}", "score", "place", "detail")
            steps.add_rows(answer_rendering.step_cells(hit))
        trace.focus()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """What a stage says of itself is longer than a row: the chosen one's stands below, whole."""
        answer = self._search.answer
        if event.data_table.id == "trace" and answer and answer.trace and event.cursor_row < len(answer.trace):
            cells = answer_rendering.stage_cells(answer.trace[event.cursor_row])
            self.query_one("#detail", Static).update(f"{cells[0]}: {cells[-1] or 'nothing to add'}")
