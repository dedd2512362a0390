"""Reads JSON with comments and trailing commas, as editors keep their settings; inserts and removes an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from octavo.lazy_regex import regex

# A string is matched first, so that nothing inside one is taken for a comment.
_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])|[{}\[\]]|[^"/,{}\[\]]+|.', re.DOTALL)
_TRAILING = regex(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def parse(text: str) -> Any:
    if not text.strip():
        return {}
    bare = "".join(" " if _comment(token) else token for token in _TOKEN.findall(text.removeprefix("\ufeff")))
    return json.loads(_TRAILING.sub(lambda match: match[1] or "", bare))


def insert(text: str, key: str, name: str, value: Mapping[str, Any]) -> str:
    """`{key: {name: value}}` put into the outermost object, at its beginning or that of the object under `key`."""
    if not text.strip():
        return snippet(key, name, value)
    if name in parse(text).get(key, {}):
        text = remove(text, key, name)
    step = indentation(text)
    after = _object_after(text, key)
    if after is not None:
        deep = json.dumps(value, indent=step, ensure_ascii=False).replace("\n", "\n" + " " * 2 * step)
        return _put(text, after, f"{' ' * 2 * step}{json.dumps(name)}: {deep}")
    start = next((token.end() for token in _TOKEN.finditer(text) if token[0] == "{"), None)
    if start is None:
        raise ValueError("it holds no object")
    deep = json.dumps({name: value}, indent=step, ensure_ascii=False).replace("\n", "\n" + " " * step)
    return _put(text, start, f"{' ' * step}{json.dumps(key)}: {deep}")


def remove(text: str, key: str, name: str) -> str:
    """Without `name` in the object under `key`: its line, or its characters, and one comma."""
    expected = parse(text)
    del expected[key][name]
    start = _object_after(text, key)
    member = _member(text, start, name) if start is not None else None
    if member is None:
        raise ValueError(f"{name} is not found in {key}")
    first, last = member
    if following := re.match(r"\s*,", text[last:]):
        last += following.end()
    elif leading := re.search(r",\s*$", text[:first]):
        first = leading.start()
    if line := re.match(r"[ \t]*\r?\n", text[last:]):  # a line of its own goes whole
        before = len(text[:first].rstrip(" \t"))
        if text[:before].endswith("\n"):
            first, last = before, last + line.end()
    after = text[:first] + text[last:]
    if parse(after) != expected:
        raise ValueError(f"{name} cannot be told from its neighbours in {key}")
    return after


def snippet(key: str, name: str, value: Mapping[str, Any]) -> str:
    return json.dumps({key: {name: value}}, indent=2, ensure_ascii=False) + "\n"


def indentation(text: str) -> int:
    indented = re.search(r"^( +)\S", text, re.MULTILINE)
    return min(8, len(indented[1])) if indented else 2


def _put(text: str, position: int, entry: str) -> str:
    rest = text[position:]
    follows = next((token for token in _TOKEN.findall(rest) if token.strip() and not _comment(token)), "}")
    comma = "" if follows.lstrip().startswith("}") else ","
    return f"{text[:position]}\n{entry}{comma}{rest if rest.startswith(chr(10)) else chr(10) + rest}"


def _object_after(text: str, key: str) -> int | None:
    """Where the object under a key of the outermost object begins."""
    depth = 0
    last: str | None = None
    for match in _TOKEN.finditer(text):
        token = match[0]
        if _comment(token) or not token.strip():
            continue
        if token == "{":
            if depth == 1 and last == key:
                return match.end()
            depth += 1
        elif token in ("}", "]", "["):
            depth += 1 if token == "[" else -1
        if token.startswith('"'):
            last = json.loads(token)
        elif token.strip() != ":":
            last = None
    return None


def _member(text: str, start: int, name: str) -> tuple[int, int] | None:
    """Where `"name": value` stands in the object whose first character is at `start`."""
    depth, first, named, end = 0, None, False, start
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if _comment(token) or not token.strip():
            continue
        closes = token in ("}", "]")
        if depth == 0 and (closes or token == ","):
            if named and first is not None:
                return first, end
            if closes:
                return None
            first, named = None, False
            continue
        if first is None:
            first, named = match.start(), token.startswith('"') and json.loads(token) == name
        depth += token in ("{", "[")
        depth -= closes
        end = match.start() + len(token.rstrip())
    return None


def _comment(token: str) -> bool:
    return token.startswith(("//", "/*"))
