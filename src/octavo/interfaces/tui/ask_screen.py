"""The ask screen: a question, an answer in sentences, and the passages it was made from."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from octavo.interfaces.tui.answer_rendering import answer_text, where_inside
from octavo.interfaces.tui.library_client_app import LibraryApp, Navigation
from octavo.interfaces.tui.reading_screen import ReadingScreen, ReadPlace
from octavo.model.document import shown_path
from octavo.operations.answering.results import AnswerSentence, AskAnswer, ReadPassage, SentenceCitation
from octavo.operations.styled_answer_lines import visible

Source = SentenceCitation | ReadPassage
_WORTH = {"quoted": "", "supported": "", "partly": "yellow", "unsupported": "bold yellow"}


class AskScreen(Screen[None]):
    app: LibraryApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_passages", "Passages", show=False),
        Binding("escape", "to_question", "Question", show=False),
        Binding("ctrl+o", "open", "Read"),
        Binding("ctrl+y", "copy", "Cite"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.sources: tuple[Source, ...] = ()
        self.kinds: dict[int, str] = {}

    def compose(self) -> ComposeResult:
        yield Navigation("ask")
        yield Input(placeholder="A question, then Enter", id="query")
        yield Static("", id="summary", markup=False)
        with VerticalScroll(id="answering"):
            yield Static("", id="answer", markup=False)
        yield OptionList(id="passages", markup=False)
        yield Footer(compact=True)

    def on_screen_resume(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self) -> None:
        if question := self.query_one(Input).value.strip():
            self.query_one("#summary", Static).update("looks for an answer …")
            self.query_one("#answer", Static).update("")
            self._list(())
            self._ask(question)

    @work(thread=True, exclusive=True, group="ask", exit_on_error=False)
    def _ask(self, question: str) -> None:
        worker, drawn = get_current_worker(), Text()

        def tell(sentence: AnswerSentence) -> None:
            if not worker.is_cancelled:
                drawn.append_text(sentence_text(sentence))
                self.app.call_from_thread(self.query_one("#answer", Static).update, drawn.copy())

        answer = self.app.answer(question, tell)
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show, answer)

    def _show(self, answer: AskAnswer | None) -> None:
        self.query_one("#summary", Static).update("")
        width = self.query_one("#answering").content_size.width
        self.query_one("#answer", Static).update(Text() if answer is None else answer_text("ask", answer, width))
        self.kinds = {} if answer is None else {passage.number: passage.kind for passage in answer.passages}
        self._list(() if answer is None else (*answer.cited, *answer.uncited))

    def _list(self, sources: tuple[Source, ...]) -> None:
        self.sources = sources
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options(Option(source_text(source)) for source in sources)
        listed.set_class(bool(sources), "-shown")
        if sources:
            listed.highlighted = 0

    @property
    def source(self) -> Source | None:
        at = self.query_one(OptionList).highlighted
        return self.sources[at] if at is not None and at < len(self.sources) else None

    def action_to_question(self) -> None:
        self.query_one(Input).focus()

    def action_to_passages(self) -> None:
        if self.sources:
            self.query_one(OptionList).focus()

    def on_option_list_option_selected(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        if source := self.source:
            lines, kind = (source.start_line, source.end_line), self.kinds[number_of(source)]
            place = ReadPlace(source.collection, source.uri, kind, source.uri, lines, citation=source.place)
            self.app.push_screen(ReadingScreen(place))

    def action_copy(self) -> None:
        if self.source:
            self.app.copy_citation(self.source.place)


def sentence_text(sentence: AnswerSentence) -> Text:
    return Text(visible(sentence.marked) + "\n\n", _WORTH.get(sentence.support, ""))


def number_of(source: Source) -> int:
    return source.passage if isinstance(source, SentenceCitation) else source.number


def source_text(source: Source) -> Text:
    """Where the number in an answer leads; dim what was only read."""
    cited = isinstance(source, SentenceCitation)
    drawn = Text(f"[{number_of(source)}] ", "bold" if cited else "dim")
    drawn.append(visible(shown_path(source.heading_path)), "" if cited else "dim")
    return drawn.append(f"  {visible(f'{source.place}{where_inside(source.position)}')}", "dim")
