"""The memory screen: what was remembered, how each memory changed, and what an earlier version said."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from octavo.interfaces.tui.dialogs import ConfirmDialog
from octavo.interfaces.tui.library_client_app import LibraryApp, Navigation
from octavo.operations.memory.results import FoundMemory, RecallAnswer
from octavo.operations.styled_answer_lines import visible

_DIFF = {"+": "green", "-": "red", "@": "cyan"}


class MemoryScreen(Screen[None]):
    app: LibraryApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_memories", show=False),
        Binding("escape", "to_query", show=False),
        Binding("ctrl+n", "remember", "Remember"),
        Binding("ctrl+b", "pin", "Pin"),
        Binding("f8", "forget", "Forget"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.memories: tuple[FoundMemory, ...] = ()

    def compose(self) -> ComposeResult:
        yield Navigation("memory")
        yield Input(placeholder="What was remembered about…", id="query")
        yield Static("", id="summary", markup=False)
        with Horizontal(id="remembering"):
            yield OptionList(id="memories", markup=False)
            with VerticalScroll(id="remembered"):
                yield Static("", id="memory", markup=False)
        yield Footer(compact=True)

    def on_screen_resume(self) -> None:
        self.query_one(Input).focus()
        self._recall(self.query_one(Input).value.strip())

    def on_input_changed(self) -> None:
        self._recall(self.query_one(Input).value.strip())

    def on_input_submitted(self) -> None:
        self.action_to_memories()

    @work(thread=True, exclusive=True, group="recall", exit_on_error=False)
    def _recall(self, query: str) -> None:
        worker = get_current_worker()
        answer = self.app.ask("recall", query=query, limit=50)
        if answer is not None and not worker.is_cancelled:
            self.app.call_from_thread(self._show, answer)

    def _show(self, answer: RecallAnswer) -> None:
        self.memories = answer.memories
        listed = self.query_one(OptionList)
        listed.clear_options()
        listed.add_options(Option(_label(memory)) for memory in answer.memories)
        count = len(answer.memories)
        none = "No memory matches." if self.query_one(Input).value.strip() else "Nothing was remembered yet."
        message = f"{count} {'memory' if count == 1 else 'memories'}" if count else none
        self.query_one("#summary", Static).update(message)
        if answer.memories:
            listed.highlighted = 0
        else:
            self.query_one("#memory", Static).update(Text("Ctrl-N remembers something.", "dim"))

    @property
    def memory(self) -> FoundMemory | None:
        at = self.query_one(OptionList).highlighted
        return self.memories[at] if at is not None and at < len(self.memories) else None

    def on_option_list_option_highlighted(self) -> None:
        if self.memory:
            self._read(self.memory)

    @work(thread=True, exclusive=True, group="reading", exit_on_error=False)
    def _read(self, memory: FoundMemory) -> None:
        worker = get_current_worker()
        whole = self.app.ask("memory_get", item=memory.item)
        history = self.app.ask("memory_history", item=memory.item)
        if whole is None or history is None:
            return
        drawn = Text()
        drawn.append(f"{whole.title}\n", "bold")
        drawn.append(f"version {whole.version} · {whole.kind} · {', '.join(whole.tags) or 'no tags'}\n", "dim")
        drawn.append(f"\n{whole.text.strip()}\n")
        if whole.links:
            drawn.append(f"\nlinks: {', '.join(whole.links)}\n", "dim")
        drawn.append("\nHistory\n", "bold")
        for change in reversed(history.changes):
            drawn.append(f"{change.at[:10]} {change.action} · version {change.version}", "dim")
            drawn.append(f" · {change.reason}\n" if change.reason else "\n")
        for older, newer in zip(history.versions[-2::-1], history.versions[:0:-1], strict=False):
            diff = self.app.ask("memory_diff", item=memory.item, old=older.version, new=newer.version)
            if diff is not None and diff.diff:
                drawn.append(f"\nVersion {older.version} to {newer.version}\n", "bold")
                drawn.append(diff_text(diff.diff))
        if not worker.is_cancelled:
            self.app.call_from_thread(self.query_one("#memory", Static).update, drawn)

    def action_to_memories(self) -> None:
        self.query_one(OptionList).focus()

    def action_to_query(self) -> None:
        self.query_one(Input).focus()

    def action_remember(self) -> None:
        def typed(text: str | None) -> None:
            if text:
                self._change("remember", text=text)

        self.app.push_screen(ConfirmDialog("Remember", "A sentence that is understood by itself.", "Text"), typed)

    def action_pin(self) -> None:
        if self.memory:
            self._change("memory_unpin" if self.memory.pinned else "memory_pin", item=self.memory.item)

    def action_forget(self) -> None:
        memory = self.memory

        def confirmed(answer: str | None) -> None:
            if answer and memory:
                self._change("forget", item=memory.item)

        if memory:
            warning = f"{memory.title} will not be found any more. Its history stays; `octavo memory` reads it."
            self.app.push_screen(ConfirmDialog("Forget", warning), confirmed)

    @work(thread=True, group="change", exit_on_error=False)
    def _change(self, operation: str, **arguments: str) -> None:
        if self.app.ask(operation, **arguments) is not None:
            self.app.call_from_thread(self.on_screen_resume)


def _label(memory: FoundMemory) -> Text:
    text = Text(f"{'◆ ' if memory.pinned else ''}{memory.title}\n", "bold")
    text.append(f"version {memory.version} · {memory.kind}", "dim")
    return text


def diff_text(diff: str) -> Text:
    """A unified diff: the signs say it without colours too."""
    drawn = Text()
    for line in diff.splitlines():
        if not line.startswith(("---", "+++")):
            drawn.append(f"{visible(line)}\n", _DIFF.get(line[:1], ""))
    return drawn
