"""The sandboxed process: confines itself, then converts file after file until its pipe closes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import IO, Any

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.sandbox.process_confinement import Limits, confine
from octavo.converting.text_builder import MOST_CHARACTERS
from octavo.model.converted_file import Converted, Damaged, RefusedFile, to_plain
from octavo.plugins import resolved

SIZE = 8  # bytes in front of a message that say how long it is

Reader = Callable[[str, bytes, "ConversionSettings"], Converted | RefusedFile]


def send(channel: IO[bytes], *messages: bytes) -> None:
    for message in messages:
        channel.write(len(message).to_bytes(SIZE, "big"))
        channel.write(message)
    channel.flush()


def received(channel: IO[bytes], most: int) -> bytes:
    """Raises `EOFError` where the other side is gone or says more than it may."""
    head = channel.read(SIZE)
    size = int.from_bytes(head, "big")
    if len(head) < SIZE or size > most:
        raise EOFError
    message = channel.read(size)
    if len(message) < size:
        raise EOFError
    return message


def serve(limits: dict[str, Any], settings: dict[str, Any]) -> None:
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    # Readers in other languages print what they like: neither to the answers nor to the user's terminal.
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    allowed = Limits(**limits)
    confinement = confine(allowed)
    told = ConversionSettings(**settings)
    try:
        send(answers, json.dumps(asdict(confinement)).encode())
        while True:
            question = json.loads(received(requests, 1 << 20))
            data = received(requests, 1 << 40)
            send(answers, *_answer(question["reader"], question["name"], data, told, allowed))
    except (EOFError, BrokenPipeError):
        os._exit(0)  # without the interpreter's farewell, which would complain about the pipe


def _answer(reader: str, name: str, data: bytes, settings: ConversionSettings, limits: Limits) -> list[bytes]:
    """The document or the refusal, then the members that it announces."""
    try:
        outcome = outcome_of(reader, name, data, settings)
    except MemoryError:
        outcome = RefusedFile(f"reading it takes more than {limits.memory // 1_000_000:,} MB of memory")
    except RecursionError:
        outcome = RefusedFile("damaged: it is nested too deeply")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # of native code, some raises what is no `Exception`
        outcome = RefusedFile(f"damaged: {_said(error)}")
    if isinstance(outcome, Converted):
        if len(outcome.text) > MOST_CHARACTERS * 2:
            outcome = RefusedFile(f"it holds more than {MOST_CHARACTERS:,} characters")
        elif not outcome.text.strip() and not outcome.members:
            outcome = RefusedFile("it holds no text")
    members = outcome.members if isinstance(outcome, Converted) else ()
    plain: dict[str, Any] = outcome._asdict() if isinstance(outcome, RefusedFile) else to_plain(outcome)
    plain["members"] = [member.name for member in members]
    # Half of a character, which JSON and tar can write, cannot be stored: a question mark stands in its place.
    told = json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return [told, *(each.data for each in members)]


def outcome_of(reader: str, name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """What a reader, named by its place, makes of a file; one that is damaged is refused with the reason it raises."""
    try:
        return _reader(reader)(name, data, settings)
    except Damaged as error:
        return RefusedFile(str(error))


def _reader(target: str) -> Reader:
    """The reader, or one that refuses every file until the package that has the reader can be imported."""
    try:
        read: Reader = resolved(target)
    except Exception as error:  # whatever a stranger's module does when it is imported
        refused = RefusedFile(f"its reader {target} cannot be imported: {_said(error)}", passing=True)
        return lambda name, data, settings: refused
    return read


def _said(error: BaseException) -> str:
    words = " ".join(str(error).split())[:200]
    return words or type(error).__name__
