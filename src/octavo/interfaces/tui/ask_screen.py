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

from octavo.interfaces.tui.library_app import LibraryApp
from octavo.interfaces.tui.navigation_bar import Navigation
from octavo.interfaces.tui.reading_view import ReadingScreen, ReadPlace
from octavo.operations.answering.results import AnswerSentence, AskAnswer, ReadPassage
from octavo.operations.text_line_formatting import visible

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
        self.passages: tuple[ReadPassage, ...] = ()

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
        self.query_one("#summary", Static).update("" if answer is None else told(answer))
        self.query_one("#answer", Static).update("" if answer is None else answer_text(answer))
        self._list(() if answer is None else answer.passages)

    def _list(self, passages: tuple[ReadPassage, ...]) -> None:
        self.passages = passages
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options(Option(passage_text(passage)) for passage in passages)
        listed.set_class(bool(passages), "-shown")
        if passages:
            listed.highlighted = 0

    @property
    def passage(self) -> ReadPassage | None:
        at = self.query_one(OptionList).highlighted
        return self.passages[at] if at is not None and at < len(self.passages) else None

    def action_to_question(self) -> None:
        self.query_one(Input).focus()

    def action_to_passages(self) -> None:
        if self.passages:
            self.query_one(OptionList).focus()

    def on_option_list_option_selected(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        if self.passage:
            passage = self.passage
            lines = (passage.start_line, passage.end_line)
            place = ReadPlace(passage.collection, passage.uri, "note", passage.title or passage.uri, lines)
            self.app.push_screen(ReadingScreen(place))

    def action_copy(self) -> None:
        if self.passage:
            self.app.copy_citation(self.passage.collection, self.passage.uri, self.passage.start_line)


def told(answer: AskAnswer) -> str:
    sentences, passages = len(answer.sentences), len(answer.passages)
    return f"{sentences} sentence{'s' * (sentences != 1)} from {passages} passage{'s' * (passages != 1)}"


def sentence_text(sentence: AnswerSentence) -> Text:
    return Text(visible(sentence.marked) + "\n\n", _WORTH.get(sentence.support, ""))


def answer_text(answer: AskAnswer) -> Text:
    """Sentences with the numbers of what they cite, and what the doubtful ones are worth."""
    drawn = Text()
    for sentence in answer.sentences:
        drawn.append_text(sentence_text(sentence))
    if not answer.sentences:
        drawn.append(f"{answer.answer or 'Nothing in the library answers this.'}\n\n")
    if answer.hint:
        drawn.append(f"{visible(answer.hint)}\n", "dim")
    return drawn


def passage_text(passage: ReadPassage) -> Text:
    drawn = Text(f"[{passage.number}] ", "bold")
    drawn.append(visible(" → ".join(passage.heading_path) or passage.title))
    return drawn.append(f"  {visible(f'{passage.collection}/{passage.uri}')}:{passage.start_line}", "dim")
