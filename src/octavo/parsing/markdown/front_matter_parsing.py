"""Front matter: the YAML between `---` lines at the start of a note, read safely and within limits.

Scalars follow YAML 1.2's core schema, except that a number must be written the way it prints: dates, times,
versions such as `1.10.2` and codes such as `007` stay the text the author wrote.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import field
from functools import lru_cache
from typing import Any

from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex

LIMIT = 64 * 1024
UNREADABLE = regex("[\0-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that YAML refuses in a line or takes for its end; between double quotes they are escaped."""
_NODES = 10_000
_DEPTH = 32

_OPENING = regex(r"---[ \t]*\n")
_CLOSING = regex(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_FIELD = regex(r"\s*+(?:#[^\n]*+\n\s*+){0,99}[^\s#:][^\n:]*+:(?:\s|\Z)")

# Lines that mean the same to any YAML reader: `key: words`, `key: "words"`, `key:` with a list of words below it.
_WORDS = r"[A-Za-z<(/_\u00c0-\u1fff](?:[ !\"$-9;-~\u00a1-\u1fff]++|:(?![ \n])|(?<! )#)*"
_PLAIN_FIELD = regex(
    rf"([A-Za-z_][A-Za-z0-9_-]*+):(?:[ ]++(?:({_WORDS})"
    r"|\"([ !#-\[\]-~\u00a1-\u1fff]*+)\"[ ]*+|'([ -&(-~\u00a1-\u1fff]*+)'[ ]*+)"
    rf"|[ ]*+((?:\n[ ]*+-[ ]++{_WORDS})+))\n"
)
_PLAIN_ITEM = regex(rf"\n([ ]*+)-[ ]++({_WORDS})")
# Obsidian's `{{date}}`, Templater's `<% tp.date.now() %>`: a placeholder, or a whole value that holds one.
_PLACEHOLDER = regex(r"\{\{[^{}\n]*\}\}|<%[^\n]*?%>")
_TEMPLATE_VALUE = regex(
    r"^([ \t]*(?:-[ \t]+)?(?:[^\s:#\"'-][^:\n]*:[ \t]+)?)(?=[^\n]*(?:\{\{|<%))([^\"'\s][^\n]*?)[ \t]*$", re.MULTILINE
)
_NOT_WORDS = frozenset({"null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"})


class FrontMatter(Value):
    """`end` is where the text continues: 0 when there is no front matter."""

    end: int = 0
    data: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def front_matter(text: str) -> FrontMatter:
    """The front matter of a note. What cannot be parsed becomes a warning; the text is unaffected."""
    opening = _OPENING.match(text) if text.startswith("---") else None
    if opening is None:
        return FrontMatter()
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return FrontMatter()
    start, stop, end = opening.end(), closing.start(), closing.end()
    if stop - start > LIMIT:
        # Text between two distant rules is prose, unless it begins like a field.
        warning = f"front matter longer than {LIMIT // 1024} KB was not read"
        return FrontMatter(end, warnings=(warning,)) if _FIELD.match(text, start) else FrontMatter()
    raw = text[start:stop]
    data = plain_fields(raw)
    if data is not None:
        return FrontMatter(end, data)
    try:
        loaded = load_yaml(raw)
    except Exception as failure:  # hostile YAML costs a warning, never the document
        if not _FIELD.match(raw):
            return FrontMatter()
        if _PLACEHOLDER.search(raw):
            return FrontMatter(end, _of_template(raw))
        return FrontMatter(end, warnings=(f"front matter could not be read: {_one_line(failure)}",))
    if loaded is None:
        return FrontMatter(end)
    if not isinstance(loaded, dict):
        return FrontMatter(warnings=("front matter is not a list of fields and was read as text",))
    return FrontMatter(end, loaded)


def _of_template(raw: str) -> dict[str, Any]:
    """The fields of a template, whose placeholders are text; nothing where it is no YAML even so."""
    try:
        loaded = load_yaml(_TEMPLATE_VALUE.sub(lambda match: match[1] + json.dumps(match[2]), raw))
    except Exception:  # a template is not a note yet: what it will say is known once it is filled in
        return {}
    return loaded if isinstance(loaded, dict) else {}


def plain_fields(raw: str) -> dict[str, Any] | None:
    """The fields of front matter that any YAML reader reads the same way; None for any other."""
    data: dict[str, Any] = {}
    pos = 0
    while pos < len(raw):
        m = _PLAIN_FIELD.match(raw, pos)
        if m is None or m[1] in _NOT_WORDS:
            return None
        pos = m.end()
        if m[5] is not None:
            items = _PLAIN_ITEM.findall(m[5])
            values = [words.rstrip(" ") for _, words in items]
            if len({indent for indent, _ in items}) > 1 or not _NOT_WORDS.isdisjoint(values):
                return None
            data[m[1]] = values
            continue
        words = m[2]
        if words is None:
            data[m[1]] = m[3] if m[3] is not None else m[4]
            continue
        words = words.rstrip(" ")
        if words in _NOT_WORDS:
            return None
        data[m[1]] = words
    return data if data else None


def load_yaml(raw: str) -> Any:
    """YAML as JSON-compatible values. Raises on anything malformed, aliased, too deep or too large."""
    import yaml

    loader = _loader()
    depth = nodes = 0
    for event in yaml.parse(raw, Loader=loader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError("aliases are not followed")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.ScalarEvent):
            nodes += 1
        if depth > _DEPTH or nodes > _NODES:
            raise ValueError("too deep or too large")
    return _json_friendly(yaml.load(raw, Loader=loader))


def quoted(text: str) -> str:
    """A text in double quotes, with escapes that YAML, JSON and TOML share: read back, it is the same."""
    return UNREADABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


@lru_cache(maxsize=1)
def _loader() -> Any:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the C implementation if available
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # replaces the inherited YAML 1.1 table

    add = Loader.add_implicit_resolver
    add("tag:yaml.org,2002:null", re.compile(r"(?:~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
    add("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"), list("tTfF"))
    add("tag:yaml.org,2002:int", re.compile(r"-?(?:0|[1-9][0-9]{0,17})\Z"), list("-0123456789"))
    add("tag:yaml.org,2002:float", re.compile(r"-?(?:0|[1-9][0-9]{0,15})\.[0-9]{0,15}[1-9]\Z"), list("-0123456789"))
    return Loader


def _json_friendly(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _json_friendly(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_friendly(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(str(item) for item in value)
    return str(value)


def _one_line(failure: Exception) -> str:
    mark = getattr(failure, "problem_mark", None)
    problem = getattr(failure, "problem", None) or str(failure) or type(failure).__name__
    where = f" (line {mark.line + 2})" if mark is not None else ""
    return " ".join(str(problem).split())[:200] + where
