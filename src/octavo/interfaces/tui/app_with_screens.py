"""The terminal app: installs the search, library, memory, trace and ask screens and opens the search."""

from __future__ import annotations

from octavo.interfaces.daemon.server_or_local_library import LibraryClient
from octavo.interfaces.tui.ask_screen import AskScreen
from octavo.interfaces.tui.library_client_app import LibraryApp
from octavo.interfaces.tui.library_screen import LibraryScreen
from octavo.interfaces.tui.memory_screen import MemoryScreen
from octavo.interfaces.tui.search_screen import SearchScreen, TraceScreen


class OctavoApp(LibraryApp):
    def __init__(self, client: LibraryClient, project: str | None = None) -> None:
        super().__init__(client, project)
        self.search_screen = SearchScreen()

    def on_mount(self) -> None:
        self.install_screen(self.search_screen, "search")
        self.install_screen(LibraryScreen(), "library")
        self.install_screen(MemoryScreen(), "memory")
        self.install_screen(TraceScreen(self.search_screen), "trace")
        self.install_screen(AskScreen(), "ask")
        self.push_screen("search")
        self.look_at_advisories()
