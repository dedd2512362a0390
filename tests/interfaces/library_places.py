"""Where the libraries of tests are: in files, or in databases of the session's server; and which tests have both."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from cli_calls import Location

from octavo.model.library_location import DatabaseUrl

if TYPE_CHECKING:
    from postgres_server import Server


BOTH_ENGINES = {
    "daemon/test_shared_answers.py",
    "daemon/test_shared_server.py",
    "http/test_ask_stream.py",
    "http/test_crossing_projects.py",
    "http/test_embeddings.py",
    "http/test_loop_stalls.py",
    "http/test_oauth.py",
    "http/test_routes.py",
    "http/test_serve.py",
    "http/test_tokens.py",
    "mcp/test_memory_resources.py",
    "mcp/test_stdio.py",
    "mcp/test_tools.py",
    "test_cli_ask.py",
    "test_cli_errors.py",
    "test_cli_examples.py",
    "test_cli_formats.py",
    "test_cli_graph.py",
    "test_cli_history.py",
    "test_cli_layout.py",
    "test_cli_library.py",
    "test_cli_memory.py",
    "test_cli_pick.py",
    "test_cli_profiles.py",
    "test_cli_start.py",
    "test_cli_terminal.py",
    "test_cli_typed_queries.py",
    "test_cli_watch.py",
    "test_links_follow.py",
    "test_lint.py",
    "test_many_at_once.py",
    "test_memory_note_copying.py",
    "test_notes.py",
    "test_profiles_of_clients.py",
    "test_same_json.py",
    "test_several_libraries.py",
    "test_withheld_lines.py",
    "test_worker_command.py",
    "test_writing.py",
    "web/test_editing.py",
    "web/test_library_pages.py",
    "web/test_originals.py",
    "web/test_pages.py",
}
"""Beside those of the Python API."""
_NO_LIBRARY = "opens no library, or asks it nothing"
_FILES = "what the file system does with notes and links"
ONE_ENGINE = {
    "http/test_guard.py": _NO_LIBRARY,
    "http/test_other_accounts.py": "who may ask a server, whatever its library is",
    "mcp/test_install.py": _NO_LIBRARY,
    "mcp/test_reference.py": _NO_LIBRARY,
    "mcp/test_skill.py": _NO_LIBRARY,
    "mcp/test_starting.py": "the library that it makes by itself is a file",
    "test_cli_config.py": _NO_LIBRARY,
    "test_kubernetes.py": _NO_LIBRARY,
    "test_cli_help.py": _NO_LIBRARY,
    "test_cli_highlight.py": _NO_LIBRARY,
    "test_cli_try.py": "a temporary library is a file",
    "test_editors.py": "what other programs are given, through a server that is asked as any other",
    "test_files_of_others.py": _FILES,
    "test_links_of_strangers.py": _FILES,
    "test_npm_packages.py": "what other programs are given, through a server that is asked as any other",
    "test_process_pool.py": _NO_LIBRARY,
    "test_shell_widgets.py": "keys of shells, which ask the command line",
    "test_readme.py": "what the README says, and that is of a file",
    "test_writing_spec.py": "one change of a text after the other, which `test_writing.py` makes on both",
    "test_writing_trouble.py": _FILES,
    "tui/test_app.py": "the golden pictures of the app, by the stand-in; what it shows is that of the operations",
    "tui/test_terminal.py": "the app in a terminal; what it shows is that of the operations",
    "web/test_browser.py": "the scripts of the pages, in Chromium; the pages themselves have tests on both",
    "web/test_first_use.py": "the first library of somebody, which is a file",
    "web/test_text.py": _NO_LIBRARY,
}
"""The others, and why."""


def shown(library: Location) -> str:
    """The place as every answer names it: without a password."""
    return str(DatabaseUrl(library)) if isinstance(library, str) else str(library)


class Databases(Protocol):
    stand_in: bool
    """Whether libraries get the stand-in for a model."""

    def empty(self) -> Location:
        """Where no library is yet: no file, or a database in which there is only the schema."""
        ...

    def bare(self) -> Location:
        """Where there is nothing at all."""
        ...

    def copy(self, library: Location) -> Location:
        """The library, which nobody has open, at another place."""
        ...

    def remove(self, library: Location) -> None: ...


class Files:
    def __init__(self, folders: pytest.TempPathFactory, *, stand_in: bool) -> None:
        self.stand_in = stand_in
        self._folders = folders

    def empty(self) -> Location:
        return self._folders.mktemp("library") / "library.db"

    bare = empty

    def copy(self, library: Location) -> Location:
        return Path(shutil.copy(library, self.empty()))

    def remove(self, library: Location) -> None:
        """Left to pytest, which keeps the folders of its last runs."""


class ServerDatabases:
    stand_in = False

    def __init__(self, server: Server) -> None:
        self._server = server

    def empty(self) -> Location:
        """Making the schema takes three times as long as copying it."""
        return self._server.database().secret

    def bare(self) -> Location:
        return self._server.database(empty=True).secret

    def copy(self, library: Location) -> Location:
        return self._server.database(template=DatabaseUrl(str(library))).secret

    def remove(self, library: Location) -> None:
        self._server.drop(DatabaseUrl(str(library)))
