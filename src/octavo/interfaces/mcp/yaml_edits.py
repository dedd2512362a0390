"""One entry put into a YAML text, or taken out of it, by whole lines: comments, order and everything else stay.

Only a block mapping under a key at the left margin is changed. A text that is laid out otherwise is refused, and so is
a result that does not parse to exactly what was wanted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml


def parse(text: str) -> Any:
    try:
        whole = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error).replace("\n", " ")) from error
    return {} if whole is None else whole


def insert(text: str, key: str, name: str, value: Mapping[str, Any]) -> str:
    expected = parse(text)
    if name in (expected.get(key) or {}):
        text = remove(text, key, name)
    expected[key] = {**(expected.get(key) or {}), name: dict(value)}
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    at = next((number for number, line in enumerate(lines) if _opens(line, key)), None)
    if at is None:
        after = "".join(lines) + snippet(key, name, value)
    else:
        margin = next((_margin(line) for line in lines[at + 1 :] if _says_something(line)), 0) or 2
        lines[at] = re.sub(r":\s*\{\s*\}", ":", lines[at], count=1)
        after = "".join([*lines[: at + 1], *_entry(name, value, margin), *lines[at + 1 :]])
    return _verified(after, expected)


def remove(text: str, key: str, name: str) -> str:
    expected = parse(text)
    del expected[key][name]
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if _opens(line, key)), len(lines))
    opening = re.compile(rf"\s+(['\"]?){re.escape(name)}\1\s*:")
    first = next((n for n in range(start + 1, len(lines)) if opening.match(lines[n])), None)
    if first is None:
        raise ValueError(f"{key} is not written as a block of lines")
    last = first + 1
    while last < len(lines) and (not lines[last].strip() or _margin(lines[last]) > _margin(lines[first])):
        last += 1
    while not lines[last - 1].strip():  # the gap before what follows stays
        last -= 1
    kept = [*lines[:first], *lines[last:]]
    if not expected[key]:
        expected[key] = None
        if parse("".join(kept)) != expected:  # comments may hold the place of entries
            raise ValueError(f"{key} is not written as a block of lines")
        kept[start] = re.sub(r":\s*$", ": {}\n", kept[start], count=1)
        expected[key] = {}
    return _verified("".join(kept), expected)


def snippet(key: str, name: str, value: Mapping[str, Any]) -> str:
    return "".join([f"{key}:\n", *_entry(name, value, 2)])


def _entry(name: str, value: Mapping[str, Any], margin: int) -> list[str]:
    """JSON scalars and lists are YAML too, on one line each."""
    space = " " * margin
    fields = [f"{space * 2}{field}: {json.dumps(given, ensure_ascii=False)}\n" for field, given in value.items()]
    return [f"{space}{name}:\n", *fields]


def _verified(after: str, expected: Any) -> str:
    if parse(after) != expected:
        raise ValueError("it is laid out in a way that cannot be changed by lines")
    return after


def _opens(line: str, key: str) -> bool:
    return re.match(rf"{re.escape(key)}\s*:\s*(\{{\s*\}}\s*)?(#.*)?$", line) is not None


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")
