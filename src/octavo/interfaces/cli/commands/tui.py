"""`octavo tui`: the library in the terminal."""

from __future__ import annotations

from octavo.interfaces.cli.from_request import command


@command(action="tui:run", examples=["octavo tui", "octavo tui --library notes.db"])
def tui() -> None:
    """Look at the library in the terminal: search as you type, library, memories, traces.

    \b
    F1 search   F2 library   F3 memories   F4 trace   F5 advisories   F6 ask   Ctrl-P everything else   Ctrl-Q leaves

    Needs the extra tui: pip install 'octavo[tui]'. Works over ssh, in 80 by 24, without colours (NO_COLOR) and with a
    mouse. Where a server runs for the library, it is asked.
    """
