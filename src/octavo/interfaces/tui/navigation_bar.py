"""The line on top of every screen: where one is, and the keys that lead elsewhere. A click does the same."""

from __future__ import annotations

from textual.widgets import Static

SCREENS = {"search": "Search", "library": "Library", "memory": "Memories", "trace": "Trace", "ask": "Ask"}
ADVISORIES = "f5"

KEYS = {"search": "f1", "library": "f2", "memory": "f3", "trace": "f4", "ask": "f6"}


class Navigation(Static):
    DEFAULT_CSS = "Navigation { height: 1; background: $panel; color: $text; padding: 0 1; }"

    def __init__(self, current: str) -> None:
        parts = []
        for name, title in SCREENS.items():
            label = f"[b reverse]{title}[/]" if name == current else title
            parts.append((KEYS[name], f"[@click=app.show('{name}')]{label}[/]"))
        parts.append((ADVISORIES, "[@click=app.advisories()]Advice[/]"))
        super().__init__(" ".join(f"[dim]{key.upper()}[/] {label}" for key, label in sorted(parts)))
