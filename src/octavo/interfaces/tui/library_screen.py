"""The library screen: what the library holds, what is under way or wrong, and the commands that look after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, Static, TabbedContent, TabPane

from octavo.interfaces.tui import answer_rendering
from octavo.interfaces.tui.dialogs import ConfirmDialog, RunDialog
from octavo.interfaces.tui.library_client_app import LibraryApp, Navigation
from octavo.operations.library.rendering import problem_lines
from octavo.operations.library.results import StatusAnswer

_POLL = 1.0  # seconds between looks at a run that is under way


class Tab(NamedTuple):
    """A tab shows what an operation answers, or `empty` where it answers nothing."""

    title: str
    operation: str
    arguments: Mapping[str, Any] = {}
    empty: str = ""


TABS: Mapping[str, Tab] = {
    "overview": Tab("Overview", "status"),
    "collections": Tab("Collections", "collections_list", {}, "No collection yet: a adds a folder."),
    "problems": Tab("Problems", "status", {"problems": True}, "Every file was read."),
    "jobs": Tab("Jobs", "jobs_list", {}, "No job is queued."),
    "models": Tab("Models", "models_list", {}, "No model was made here: the bundled encoder answers."),
    "profiles": Tab("Profiles", "profiles_list"),
    "snapshots": Tab("Snapshots", "snapshots_list", {}, "No snapshot: the library itself is searched."),
    "communities": Tab("Groups", "graph_communities", {}, "No groups were looked for: g finds them."),
}

_PRUNE = (
    "Earlier versions of documents that are older than 30 days, all but 5 of each, go for good, with the texts and "
)
_PRUNE += "vectors that nothing else needs. What is current and what was remembered stays."
_UPGRADE = "Schema, chunks, words and vectors are brought to this version and to the configuration. A file of an older "
_UPGRADE += (
    "schema is saved beside itself first. Where the model changed, everything is embedded again: that takes long."
)
_MIGRATE = "The library is copied to a file or a server that has none yet, and both are compared. It is only read, and "
_MIGRATE += "this app stays with it: `--library` or the configuration names the copy afterwards."


class LibraryScreen(Screen[None]):
    app: LibraryApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("i", "run('octavo index')", "Index"),
        Binding("a", "add", "Add"),
        Binding("p", "prune", "Prune"),
        Binding("u", "upgrade", "Upgrade"),
        Binding("m", "migrate", "Migrate"),
        Binding("g", "run('octavo graph build --wait')", "Graph", show=False),
        Binding("c", "run('octavo cluster build')", "Clusters", show=False),
        Binding("s", "run('octavo snapshots build')", "Snapshot", show=False),
        Binding("d", "run('octavo doctor')", "Doctor"),
        Binding("r", "refresh_tab", "Refresh", show=False),
        Binding("escape", "app.show('search')", "Search", show=False),
    ]

    def compose(self) -> ComposeResult:
        yield Navigation("library")
        yield Static("", id="indexing", markup=False)
        with TabbedContent(id="tabs"):
            for name, tab in TABS.items():
                with TabPane(tab.title, id=name), VerticalScroll():
                    yield Static("", id=f"{name}-text", markup=False)
        yield Footer(compact=True)

    def on_mount(self) -> None:
        self.set_interval(_POLL, self._look_at_run)

    def on_screen_resume(self) -> None:
        self.action_refresh_tab()

    def on_tabbed_content_tab_activated(self) -> None:
        self.action_refresh_tab()

    def action_refresh_tab(self) -> None:
        self._fill(self.query_one(TabbedContent).active, max(40, self.size.width - 4))
        self._look_at_run()

    @work(thread=True, exclusive=True, group="tab", exit_on_error=False)
    def _fill(self, name: str, width: int) -> None:
        tab = TABS.get(name)
        answer = self.app.ask(tab.operation, **tab.arguments) if tab else None
        if tab is None or answer is None:
            return
        if name == "problems":
            drawn = answer_rendering.blocks_text(problem_lines(answer), width)
        else:
            drawn = answer_rendering.answer_text(tab.operation, answer, width)
        if name == "overview":
            drawn.append("\ng finds groups · c makes clusters · s makes a snapshot · F5 advisories", "dim")
        shown = drawn if drawn.plain.strip() else Text(tab.empty, "dim")
        self.app.call_from_thread(self.query_one(f"#{name}-text", Static).update, shown)

    @work(thread=True, exclusive=True, group="run", exit_on_error=False)
    def _look_at_run(self) -> None:
        if self.is_current and (status := self.app.ask("status")) is not None:
            self.app.call_from_thread(self.query_one("#indexing", Static).update, indexing(status))

    def action_run(self, command: str) -> None:
        def ended(code: int | None) -> None:
            self.action_refresh_tab()
            self.app.look_at_advisories()

        self.app.push_screen(RunDialog(command, self.app.surroundings), ended)

    def _after(self, title: str, warning: str, command: str, asks: str = "") -> None:
        """Runs a command once somebody has read what it does."""

        def confirmed(answer: str | None) -> None:
            if answer:
                self.action_run(command.format(answer=quoted(answer)))

        self.app.push_screen(ConfirmDialog(title, warning, asks), confirmed)

    def action_add(self) -> None:
        self._after("Add a folder", "It becomes a collection; `i` then indexes it.", "octavo add {answer}", "Folder")

    def action_prune(self) -> None:
        self._after("octavo db prune --older-than 30 --keep 5", _PRUNE, "octavo db prune --older-than 30 --keep 5")

    def action_upgrade(self) -> None:
        self._after("octavo db upgrade", _UPGRADE, "octavo db upgrade")

    def action_migrate(self) -> None:
        self._after("octavo db migrate", _MIGRATE, "octavo db migrate --to {answer}", "A new file, or postgresql://…")


def indexing(status: StatusAnswer) -> str:
    """How far an indexing run is, in a line."""
    run = status.job
    if run is None or run.state != "running":
        return f"{status.documents:,} documents, {status.chunks:,} passages"
    share = f"{run.done:,} of {run.total:,} {run.unit or ''}" if run.done is not None and run.total else ""
    bar = ""
    if run.done is not None and run.total:
        full = round(20 * min(1.0, run.done / run.total))
        bar = f" [{'█' * full}{'·' * (20 - full)}]"
    return f"indexing: {run.phase or 'starting'}{bar} {share}".rstrip()


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
