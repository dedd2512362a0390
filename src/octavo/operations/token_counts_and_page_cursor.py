"""Answers that fit: how long a text is to a language model, and a cursor to what did not fit.

Four bytes of UTF-8 count as a token, which is about right for English, code and JSON, and high for most other scripts.
Counting bytes needs no model, and the same answer has the same length everywhere.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from octavo.errors import NotFound

BYTES_PER_TOKEN = 4

_T = TypeVar("_T")


def tokens(text: str) -> int:
    return -(-size(text) // BYTES_PER_TOKEN)


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def json_size(value: Any) -> int:
    """What a value takes as JSON on the wire, a dataclass with all of its fields."""
    return size(_encoded(value))


@cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))


def _by_name(value: Any) -> dict[str, Any]:
    # `asdict` copies all that is below as well, which takes ten times as long.
    cls: Any = type(value)
    return {name: getattr(value, name) for name in _names(cls)}


_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_by_name).encode


_text_room: ContextVar[int | None] = ContextVar("text_room", default=None)


@contextmanager
def read_as_text(request: object, usual: int) -> Iterator[None]:
    """Within it, `max_tokens` of the request bounds the answer's text alone, which is all that a model is given.

    Who does not say how long an answer may be, and has the `usual` limit, gets the short one that suits most.
    """
    most = getattr(request, "max_tokens", None)
    known = _text_room.set(None if most in (None, usual) else most * BYTES_PER_TOKEN)
    try:
        yield
    finally:
        _text_room.reset(known)


def text_room() -> int | None:
    """The bytes that the text of the answer may take; None where its data are read too, or nobody said."""
    return _text_room.get()


def data_size(value: Any) -> int:
    """What an answer's data take of its length: nothing where only its text is read."""
    return 0 if text_room() is not None else json_size(value)


def within(
    items: Iterable[_T], room: int, needed: Callable[[_T], int], shortened: Callable[[_T, int], _T] | None = None
) -> Iterator[_T]:
    """The items that fit into so many bytes, in order; one at least, `shortened` if it must be.

    One at least, so that reading on always gets somewhere.
    """
    for number, item in enumerate(items):
        if shortened and not number:
            item = shortened(item, room)
        room -= needed(item)
        if room < 0 and number:
            return
        yield item


def cursor(offset: int, *request: object, last: str = "") -> str:
    """Where to go on, tied to what was asked: a cursor answers only the question it was given for.

    `last` names what was given last, so that going on starts behind it even when others came or went.
    """
    return base64.urlsafe_b64encode(f"{_digest(request)}{offset}:{last}".encode()).decode().rstrip("=")


def offset_of(written: str | None, *request: object, names: Sequence[str] = ()) -> int:
    """Where a cursor points: behind what it names, or as far down as that was; the beginning when there is none."""
    if written is None:
        return 0
    try:
        plain = base64.urlsafe_b64decode(written.encode() + b"=" * (-len(written) % 4)).decode()
    except (ValueError, binascii.Error):
        plain = ""
    digest = plain[:_DIGITS]
    offset, _, last = plain[_DIGITS:].partition(":")
    if digest != _digest(request) or not offset.isdecimal() or len(offset) > 18:
        raise NotFound(
            "this cursor does not belong to this request",
            hint="repeat the arguments of the request that gave it, or ask again without a cursor",
        )
    return names.index(last) + 1 if last in names else int(offset)


_DIGITS = 8


def _digest(request: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(request).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
