"""`octavo replay`: a recorded search answered again."""

from __future__ import annotations

import json
from pathlib import Path

import click

from octavo.errors import InvalidArgument, StorageError
from octavo.interfaces.cli.actions.search import answer
from octavo.interfaces.cli.errors import Exit
from octavo.interfaces.cli.options import Choices
from octavo.interfaces.cli.session import opened
from octavo.retrieval.replay import HINT, read_recording


def replay(choices: Choices, file: Path, explain: bool, full: bool) -> Exit:
    try:
        whole = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}", hint=HINT) from error
    except ValueError as error:
        raise InvalidArgument(f"{file} is not a trace: it is not JSON", hint=HINT) from error
    if not isinstance(whole, dict) or "recording" not in whole:
        raise InvalidArgument(f"{file} is not a trace: it holds no recorded search", hint=HINT)
    recording = read_recording(json.dumps(whole["recording"]))
    with opened(choices) as session:
        if session.engine.store.generation() != recording.generation:
            click.echo("the library has changed since this was recorded: hits may differ", err=True)
        result = session.engine.replay(recording)
        roots = session.roots()
    answer(choices, result, roots, full=full, explain=explain)
    return Exit.OK if result.hits else Exit.NO_MATCH
