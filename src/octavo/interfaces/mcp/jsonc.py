"""JSON with comments and trailing commas, as editors keep their settings: read, and one entry put into the text."""

from __future__ import annotations

import json
import re
from typing import Any

# A string is matched first, so that nothing inside one is taken for a comment.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])|[{}\[\]]|[^"/,{}\[\]]+|.', re.DOTALL)
_TRAILING = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def parse(text: str) -> Any:
    bare = "".join(" " if _comment(token) else token for token in _TOKEN.findall(text.removeprefix("\ufeff")))
    return json.loads(_TRAILING.sub(lambda found: found[1] or "", bare))


def insert(text: str, key: str, name: str, value: Any) -> str:
    """`{key: {name: value}}` put into the outermost object, at its beginning or that of the object under `key`."""
    step = indentation(text)
    after = _object_after(text, key)
    if after is not None:
        deep = json.dumps(value, indent=step, ensure_ascii=False).replace("\n", "\n" + " " * 2 * step)
        return _put(text, after, f"{' ' * 2 * step}{json.dumps(name)}: {deep}")
    start = next((found.end() for found in _TOKEN.finditer(text) if found[0] == "{"), None)
    if start is None:
        raise ValueError("it holds no object")
    deep = json.dumps({name: value}, indent=step, ensure_ascii=False).replace("\n", "\n" + " " * step)
    return _put(text, start, f"{' ' * step}{json.dumps(key)}: {deep}")


def indentation(text: str) -> int:
    found = re.search(r"^( +)\S", text, re.MULTILINE)
    return min(8, len(found[1])) if found else 2


def _put(text: str, position: int, entry: str) -> str:
    rest = text[position:]
    follows = next((token for token in _TOKEN.findall(rest) if token.strip() and not _comment(token)), "}")
    comma = "" if follows.lstrip().startswith("}") else ","
    return f"{text[:position]}\n{entry}{comma}{rest if rest.startswith(chr(10)) else chr(10) + rest}"


def _object_after(text: str, key: str) -> int | None:
    """Where the object under a key of the outermost object begins."""
    depth = 0
    last: str | None = None
    for found in _TOKEN.finditer(text):
        token = found[0]
        if _comment(token) or not token.strip():
            continue
        if token == "{":
            if depth == 1 and last == key:
                return found.end()
            depth += 1
        elif token in ("}", "]", "["):
            depth += 1 if token == "[" else -1
        if token.startswith('"'):
            last = json.loads(token)
        elif token.strip() != ":":
            last = None
    return None


def _comment(token: str) -> bool:
    return token.startswith(("//", "/*"))
