"""The search screen: a query, its hits as one types, the chosen passage in its document; and the search's trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.events import Key
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import DataTable, Footer, Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from octavo.errors import OctavoError
from octavo.interfaces.presenting.excerpt_selection_and_wrapping import without_link_end
from octavo.interfaces.tui import answer_rendering
from octavo.interfaces.tui.answer_rendering import rendered_markdown
from octavo.interfaces.tui.dialogs import FiltersDialog
from octavo.interfaces.tui.library_client_app import LibraryApp, Navigation
from octavo.interfaces.tui.reading_screen import SOURCE_KINDS, ReadingScreen, ReadPlace
from octavo.operations.reading.results import DocumentRow
from octavo.operations.search.results import FoundHit, SearchAnswer

_PAUSE = 0.15  # seconds without a key before searching
_LIMIT = 40
_RECENT = 20  # documents of the start page
_LISTS = frozenset({"collections", "kinds", "tags_all"})


class SearchScreen(Screen[None]):
    app: LibraryApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_hits", "Hits", show=False),
        Binding("escape", "to_query", "Query", show=False),
        Binding("ctrl+o", "open", "Read"),
        Binding("ctrl+y", "copy", "Cite"),
        Binding("ctrl+f", "filters", "Filters"),
        Binding("ctrl+t", "trace", "Explain"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.answer: SearchAnswer | None = None
        self.filters: dict[str, str] = {}
        self.recent: tuple[DocumentRow, ...] = ()
        self._waiting: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Navigation("search")
        yield Input(placeholder="Words or a question", id="query")
        yield Static("", id="summary", markup=False)
        with Container(id="found"):
            yield OptionList(id="hits", markup=False)
            with VerticalScroll(id="reading"):
                yield Static("", id="passage", markup=False)
        yield Static("", id="advice", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).focus()
        self._welcome()

    @work(thread=True, exit_on_error=False)
    def _welcome(self) -> None:
        """The start page: what the library holds, and the documents that were changed last."""
        status, recent = self.app.ask("status"), self.app.ask("recent", limit=_RECENT)
        if status is None:
            return
        where = "through the library's server" if self.app.client.served else "in this process"
        message = f"{status.documents:,} documents, {status.chunks:,} passages · answered {where}"
        if not status.documents:
            message = "The library is empty: F2, then a adds a folder and i indexes it."
        if self.answer is None and not self.query_text:
            self.app.call_from_thread(self._start, message, recent.documents if recent is not None else ())

    def _start(self, message: str, recent: Sequence[DocumentRow]) -> None:
        self._say(message)
        self.recent = tuple(recent)
        self._list(answer_rendering.document_text(row) for row in recent)
        if recent:
            self.query_one(OptionList).highlighted = 0
        self.query_one("#passage", Static).update(answer_rendering.start_text(len(recent)))

    def _list(self, drawn: Iterable[Text]) -> None:
        """Rows with a line between them."""
        rows = self.query_one(OptionList)
        rows.clear_options()
        for text in drawn:
            rows.add_options([Option(text), None])

    @property
    def query_text(self) -> str:
        return self.query_one("#query", Input).value.strip()

    @property
    def hit(self) -> FoundHit | None:
        at = self.query_one(OptionList).highlighted
        return self.answer.hits[at] if self.answer and at is not None and at < len(self.answer.hits) else None

    def on_input_changed(self) -> None:
        if self._waiting:
            self._waiting.stop()
        self._waiting = self.set_timer(_PAUSE, self.search)

    def on_input_submitted(self) -> None:
        self.search()
        self.action_to_hits()

    def search(self) -> None:
        if self._waiting:
            self._waiting.stop()
        if self.query_text:
            self._search(self.query_text)
        else:
            self.answer = None
            self._welcome()

    @work(thread=True, exclusive=True, group="search", exit_on_error=False)
    def _search(self, query: str) -> None:
        worker = get_current_worker()
        arguments: dict[str, Any] = {
            name: (value,) if name in _LISTS else value for name, value in self.filters.items()
        }
        try:
            answer = self.app.client.ask(
                "search", query=query, limit=_LIMIT, explain=True, max_tokens=20_000, **arguments
            )
        except OctavoError as error:  # while a query is being typed it is often not one yet
            if not worker.is_cancelled:
                self.app.call_from_thread(self._say, f"{error.message}. {error.hint or ''}".strip())
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show, answer)

    def _show(self, answer: SearchAnswer) -> None:
        self.answer = answer
        hits = self.query_one(OptionList)
        self._list(answer_rendering.hit_text(hit, answer.marked_by) for hit in answer.hits)
        narrowed = "".join(f" · {value}" for value in self.filters.values())
        meant = f" Did you mean: {answer.did_you_mean}" if answer.did_you_mean else ""
        none = " · ".join(filter(None, ("No match.", answer.excluding, *(answer.degraded or ()))))
        self._say((answer_rendering.summary(answer) if answer.hits else none) + meant + narrowed)
        if answer.hits:
            hits.highlighted = 0
        else:
            self.query_one("#passage", Static).update("")

    def _say(self, text: str) -> None:
        self.query_one("#summary", Static).update(text)

    @property
    def _marked_by(self) -> str:
        return self.query_text if self.answer is None else self.answer.marked_by

    def on_option_list_option_highlighted(self) -> None:
        if self.hit:
            self._read(self.hit, self._marked_by)

    def on_resize(self) -> None:
        """The lines of a passage are cut for the width they have."""
        self.call_after_refresh(self.on_option_list_option_highlighted)

    @work(thread=True, exclusive=True, group="reading", exit_on_error=False)
    def _read(self, hit: FoundHit, query: str) -> None:
        worker = get_current_worker()
        width = self.query_one("#reading").content_size.width
        if hit.kind not in SOURCE_KINDS:
            drawn, row = rendered_markdown(without_link_end(hit.excerpt), query, width - 1), 0
        else:
            drawn, row = self._source(hit, query, width)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._preview, drawn, max(0, row - 2))

    def _source(self, hit: FoundHit, query: str, width: int) -> tuple[Text, int]:
        """The lines around a passage, and in which row it begins."""
        first, last = answer_rendering.preview_range(hit)
        try:
            passage = self.app.client.ask(
                "get", reference=f"{hit.uri}:{first}-{last}", collection=hit.collection, max_tokens=20_000
            )
            text, first = passage.text, passage.start_line
        except OctavoError:  # a commit has no lines of its own to read around it
            text, first = hit.excerpt, hit.start_line
        return answer_rendering.preview_text(text.rstrip("\n"), first, (hit.start_line, hit.end_line), query, width)

    def _preview(self, drawn: Any, line: int) -> None:
        self.query_one("#passage", Static).update(drawn)
        reading = self.query_one("#reading", VerticalScroll)
        self.call_after_refresh(reading.scroll_to, y=line, animate=False)

    def on_option_list_option_selected(self) -> None:
        """Enter reads the document at the passage; an editor is opened from there, by `e`."""
        self.action_open()

    def on_key(self, event: Key) -> None:
        """Letters typed over the hits go on with the query."""
        if event.is_printable and self.focused is self.query_one(OptionList):
            query = self.query_one(Input)
            self.set_focus(query, from_app_focus=True)  # as after a switch of windows, which selects nothing
            query.insert_text_at_cursor(event.character or "")
            event.stop()

    def action_to_hits(self) -> None:
        if (hits := self.query_one(OptionList)).option_count:
            hits.focus()

    def action_to_query(self) -> None:
        self.query_one(Input).focus()

    def action_open(self) -> None:
        at = self.query_one(OptionList).highlighted
        if hit := self.hit:
            lines, title = (hit.start_line, hit.end_line), hit.title or hit.uri
            place = ReadPlace(hit.collection, hit.uri, hit.kind, title, lines, self._marked_by, hit.place)
            self.app.push_screen(ReadingScreen(place))
        elif self.answer is None and at is not None and at < len(self.recent):
            row = self.recent[at]
            self.app.push_screen(ReadingScreen(ReadPlace(row.collection, row.uri, row.kind, row.title or row.uri)))

    def action_copy(self) -> None:
        if self.hit:
            self.app.copy_citation(self.hit.place)

    def action_filters(self) -> None:
        def chosen(filters: dict[str, str] | None) -> None:
            if filters is not None:
                self.filters = filters
                self.search()

        self.app.push_screen(FiltersDialog(tuple(self.app.roots), self.filters), chosen)

    def action_trace(self) -> None:
        self.app.action_show("trace")


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
