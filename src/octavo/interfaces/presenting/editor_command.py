"""How to open a file at a line in the editor that somebody uses."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from octavo.errors import NotFound

_AT_PLUS = ("{editor}", "+{line}", "{path}")
_AT_COLON = ("{editor}", "{path}:{line}")
_AT_GOTO = ("{editor}", "--goto", "{path}:{line}")
_SPELLED: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("vi", "vim", "nvim", "view", "nano", "emacs", "emacsclient", "kak", "micro", "joe"), _AT_PLUS),
    **dict.fromkeys(("code", "code-insiders", "codium", "cursor", "windsurf"), _AT_GOTO),
    **dict.fromkeys(("subl", "zed", "hx", "helix", "lapce"), _AT_COLON),
    **dict.fromkeys(("idea", "pycharm", "webstorm", "goland"), ("{editor}", "--line", "{line}", "{path}")),
    "kate": ("{editor}", "--line", "{line}", "{path}"),
}
_USUAL = ("nano", "vim", "vi", "notepad")


def editor_command(path: Path, line: int, environ: Mapping[str, str]) -> list[str]:
    """The command for `$VISUAL`, `$EDITOR` or an editor that is installed. An unknown one gets the file alone."""
    chosen = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "")
    if not chosen:
        installed = next((name for name in _USUAL if shutil.which(name)), None)
        if installed is None:
            raise NotFound("no editor was found", hint="say which in the environment variable EDITOR")
        chosen = [installed]
    spelled = _SPELLED.get(Path(chosen[0]).stem, ("{editor}", "{path}"))
    values = {"line": str(max(1, line)), "path": str(path)}
    return [*chosen, *(part.format(editor="", **values) for part in spelled[1:])]
