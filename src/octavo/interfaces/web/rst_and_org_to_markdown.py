"""reStructuredText and Org as Markdown, line by line: a page renders all three alike and cites lines of the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from textwrap import dedent
from typing import NamedTuple

from octavo.lazy_regex import regex
from octavo.operations.reading.results import OutlineSection


class NumberedLine(NamedTuple):
    """A line of Markdown, and the line of the source that it stands for."""

    number: int
    text: str


Lines = Sequence[NumberedLine]

_RULE = regex(r"\s*([^\w\s])\1{2,}\s*")
_DIRECTIVE = regex(r"(?P<indent>\s*)\.\. (?P<name>[\w:+-]+)::(?:\s+(?P<argument>.*))?$")
_EXPLICIT = regex(r"(?P<indent>\s*)\.\.(?:\s+(?:\[#?(?P<note>[\w.-]+)\]\s+(?P<text>.*)|.*))?$")
_SIGN = regex(r"[\\`*_<\[\]]")
_LABEL = regex(r"\.\. _|:orphan:")
_OPTION = regex(r"\s*:(?P<name>[\w-]+):(?:\s+(?P<value>.*))?$")
_FIELD = regex(r"(?P<indent>\s*):(?P<name>[^:`\n]{1,80}):(?=\s|$)\s*(?P<value>.*)$")
_HEADER = regex(r"[A-Z][\w-]*: +\S")
_ITEM = regex(r"\s*(?:[-*+•]|(?:\d{1,3}|#|[a-zA-Z])[.)])\s+")
_SIMPLE_TABLE = regex(r"\s*=+(?:\s+=+)+\s*")
_CODE = frozenset(
    {"code", "code-block", "doctest", "ipython", "literalinclude", "math", "parsed-literal", "prompt", "sourcecode"}
)
_PICTURES = frozenset({"image", "figure"})
_UNSEEN = frozenset(
    {"contents", "currentmodule", "default-role", "highlight", "index", "meta", "raw", "rst-class", "sectnum"}
)
_DECLARES = frozenset({"attribute", "class", "data", "envvar", "exception", "function", "method", "module", "option"})
_VERSIONED = {
    "deprecated": "Deprecated since version",
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
}
_WORDED = frozenset({"abbr", "doc", "emphasis", "numref", "pep", "ref", "rfc", "strong", "sub", "sup", "term"})
_LITERAL = regex(r"``(.+?)``(?!`)")
_RST_INLINE = regex(
    r":(?P<role>[\w:+-]+):`(?P<content>[^`]+)`|`(?P<words>[^`<]+?)\s*<(?P<target>[^`>]+)>`_{1,2}"
    r"|`(?P<named>[^`]+)`_{0,2}|\[#?(?P<note>[\w.-]+)\]_|(?<![\w`])(?P<word>[A-Za-z][\w.-]*[A-Za-z\d])_{1,2}(?![\w`])"
    r"|\\(?P<nothing>\s)"
)
_ORG_INLINE = regex(
    r"\[\[(?P<target>[^\]\n]+)\](?:\[(?P<shown>[^\]\n]+)\])?\]|\[fn:(?P<note>[\w-]+)\]"
    r"|(?<![\w=~*/_+])(?P<sign>[=~*/_+])(?P<inside>\S(?:[^\n]*?\S)??)(?P=sign)(?![\w=~*/_+])"
)
_ORG_SIGNS = {"=": "`", "~": "`", "*": "**", "/": "*", "_": "*", "+": "~~"}
_ORG_BLOCK = regex(r"\s*#\+begin_(?P<name>\w+)(?:\s+(?P<argument>\S+))?.*$", re.IGNORECASE)
_ORG_UNSEEN = regex(r"\s*(?:#\+(?!caption)\w[^:\s]*:|#(?:\s|$)).*|\s*(?:SCHEDULED|DEADLINE|CLOSED):.*", re.IGNORECASE)
_DRAWER = regex(r"\s*:[\w-]+:\s*")


def as_markdown(text: str, suffix: str, sections: Sequence[OutlineSection], first_line: int = 1) -> Lines:
    """The text of a `.rst` or `.org` file as Markdown, with the headings that the outline knows."""
    lines = [NumberedLine(number, line) for number, line in enumerate(text.removesuffix("\n").split("\n"), first_line)]
    headings = {section.start_line: section for section in sections}
    return [*(_rst(lines, headings) if suffix == ".rst" else _org(lines, headings))]


def _headed(number: int, section: OutlineSection, title: str) -> Lines:
    heading = f"{'#' * min(6, max(2, section.level + 1))} {title}"
    return [NumberedLine(number, line) for line in ("", heading, "")]


def _below_title(lines: Lines, at: int) -> int:
    """The place after a title: after the labels and the rule above it, its words, and the rule below them."""
    end = _while(lines, at, lambda text: not text.strip() or _RULE.fullmatch(text) or _LABEL.match(text)) + 1
    return end + (end < len(lines) and _RULE.fullmatch(lines[end].text) is not None)


def _rst(lines: Lines, headings: Mapping[int, OutlineSection]) -> Iterator[NumberedLine]:
    at, listed = 0, False
    while at < len(lines):
        number, line = lines[at]
        end = at + 1
        if number in headings and not _DIRECTIVE.match(line):
            title = _SIGN.sub(r"\\\g<0>", headings[number].title)
            made, end, listed = _headed(number, headings[number], title), _below_title(lines, at), False
        elif explicit := _DIRECTIVE.match(line) or _EXPLICIT.match(line):
            end = _below(lines, at, len(explicit["indent"]))
            made = [*_explicit(lines[at:end], explicit, headings)]
            made = [*_indented(made, explicit["indent"] if listed else "")]
        elif line.lstrip().startswith("+-") and line.rstrip().endswith("+"):
            end = _while(lines, at, lambda text: text.lstrip().startswith(("+", "|")))
            made = [*_grid_table(lines[at:end])]
        elif _SIMPLE_TABLE.fullmatch(line):
            rules = [place for place in range(at, len(lines)) if _SIMPLE_TABLE.fullmatch(lines[place].text)]
            blank = _while(lines, at, str.strip)
            end = max((place + 1 for place in rules[:3] if place < blank or len(rules) > 2), default=blank)
            made = [*_simple_table(lines[at:end])]
        elif line.lstrip().startswith(">>> "):
            end = _while(lines, at, str.strip)
            made = _fence(lines[at:end], "pycon")
        elif line.rstrip().endswith("::"):
            end = _below(lines, at, len(line) - len(line.lstrip()))
            opening = NumberedLine(number, "" if line.strip() == "::" else _rst_inline(line.rstrip()[:-1]))
            made = [opening, NumberedLine(number, ""), *_fence(lines[at + 1 : end])]
        else:
            while line.count("`") % 2 and end < len(lines) and lines[end].text.strip():
                line, end = f"{line.rstrip()} {lines[end].text.strip()}", end + 1  # what is quoted goes on
            item, listed = _ITEM.match(line), _is_listed(line, listed)
            after = lines[end].text if end < len(lines) else ""
            shown = _rst_inline(line if listed else line.strip()).replace("#. ", "1. ", 1 if item else 0)
            if field := _FIELD.match(line):
                shown = f"{field['indent'] if listed else ''}**{field['name']}:** {_rst_inline(field['value'])}  "
            elif line.startswith("| ") or _HEADER.match(line):
                shown = f"{_rst_inline(line.removeprefix('| '))}  "
            elif not listed and line[:1].strip() and after.strip() and after[:1] == " " and after.lstrip()[:1] != "|":
                shown = f"**{shown}**  "  # a term above what it means
            made = [NumberedLine(number, shown)]
        yield from made
        at = end


def _is_listed(line: str, before: bool) -> bool:
    """Whether a line belongs to a list: it begins an item, or is blank or indented after one."""
    return _ITEM.match(line) is not None or (before and (not line.strip() or line[:1] == " "))


def _below(lines: Lines, at: int, indent: int) -> int:
    """The end of what is indented deeper than the line, without blank lines at its end."""
    end = _while(lines, at + 1, lambda text: not text.strip() or len(text) - len(text.lstrip()) > indent)
    while end > at + 1 and not lines[end - 1].text.strip():
        end -= 1
    return end


def _while(lines: Lines, at: int, holds: Callable[[str], object]) -> int:
    return next((place for place in range(at, len(lines)) if not holds(lines[place].text)), len(lines))


def _explicit(lines: Lines, sign: re.Match[str], headings: Mapping[int, OutlineSection]) -> Iterator[NumberedLine]:
    """A directive by what it is for: code, a picture, a declaration, a box. A note at the foot; comments are unseen."""
    number = lines[0].number
    given = sign.groupdict()
    if given.get("note"):
        yield NumberedLine(number, f"[^{given['note']}]: {_rst_inline(given['text'] or '')}")
        yield from _indented(_rst(_dedented(lines[1:]), {}), "    ")
        return
    name, argument = (given.get("name") or "").rpartition(":")[2], given.get("argument") or ""
    if not name or name in _UNSEEN:
        return
    options_end = _while(lines, 1, _OPTION.match)
    options = {
        match["name"]: match["value"] or "" for line in lines[1:options_end] if (match := _OPTION.match(line.text))
    }
    body = _dedented(lines[options_end:])
    yield NumberedLine(number, "")
    if name in _CODE:
        yield from _fence(body or [NumberedLine(number, argument)], "" if not body else argument)
    elif name in _PICTURES:
        yield NumberedLine(number, f"![{options.get('alt', '')}]({argument})")
        yield from _rst(body, {})
    elif name in _DECLARES or number in headings:
        title = headings[number].title if number in headings else ""
        if title:
            yield from _headed(number, headings[number], f"`{title}`")
        if title != argument:
            yield from (NumberedLine(number, line) for line in (f"**`{argument}`**", ""))
        yield from _rst(body, headings)
    elif name == "toctree":
        yield from (line._replace(text=f"- {line.text.strip()}") for line in body if line.text.strip())
    else:
        shown = " ".join(filter(None, (_VERSIONED.get(name), _rst_inline(argument))))
        yield NumberedLine(number, f"> [!{name}] {shown}".rstrip())
        yield from _indented(_rst(body, {}), "> ")
    yield NumberedLine(lines[-1].number, "")


def _dedented(lines: Lines) -> Lines:
    texts = dedent("\n".join(line.text for line in lines)).split("\n") if lines else []
    return [NumberedLine(line.number, text) for line, text in zip(lines, texts, strict=True)]


def _indented(lines: Iterator[NumberedLine] | Lines, indent: str) -> Iterator[NumberedLine]:
    return (
        NumberedLine(number, f"{indent}{text}".rstrip(" ") if not text else indent + text) for number, text in lines
    )


def _fence(lines: Lines, language: str = "") -> Lines:
    body = list(_dedented(lines))
    while body and not body[0].text.strip():
        body = body[1:]
    if not body:
        return []
    marks = "`" * max(3, *(len(run) + 1 for line in body for run in re.findall("`+", line.text) or [""]))
    return [NumberedLine(body[0].number, marks + language), *body, NumberedLine(body[-1].number, marks)]


def _grid_table(lines: Lines) -> Iterator[NumberedLine]:
    """Columns are where the first rule has its corners; a table whose rows join cells is shown as it is written."""
    corners = [place for place, sign in enumerate(lines[0].text) if sign == "+"]
    rows: list[list[NumberedLine]] = [[]]
    for line in lines[1:]:
        if line.text.lstrip().startswith("+"):
            rows.append([])
        else:
            rows[-1].append(line)
    if any(line.text[corner : corner + 1] not in ("|", "+") for line in lines for corner in corners):
        yield from _fence(lines)
        return
    cells = [[[line.text[a + 1 : b] for line in row] for a, b in pairwise(corners)] for row in rows]
    joined = [[" ".join(" ".join(cell).split()) for cell in row] for row in cells]
    numbered = [(row[0].number, texts) for row, texts in zip(rows, joined, strict=True) if row]
    yield from _table(numbered, headed=any("=" in line.text[:3] for line in lines))


def _simple_table(lines: Lines) -> Iterator[NumberedLine]:
    columns = [match.span() for match in re.finditer("=+", lines[0].text)]
    bounds = [
        (start, following) for (start, _), (following, _) in zip(columns, [*columns[1:], (None, None)], strict=True)
    ]
    rows: list[tuple[int, list[str]]] = []
    for number, text in lines:
        if not text.strip() or _SIMPLE_TABLE.fullmatch(text) or _RULE.fullmatch(text.replace(" ", "")):
            continue
        cells = [text[start:end].strip() for start, end in bounds]
        if rows and not cells[0]:
            rows[-1] = (
                rows[-1][0],
                [f"{above} {cell}".strip() for above, cell in zip(rows[-1][1], cells, strict=True)],
            )
        else:
            rows.append((number, cells))
    yield from _table(rows, headed=sum(_SIMPLE_TABLE.fullmatch(line.text) is not None for line in lines) > 2)


def _table(
    rows: Sequence[tuple[int, Sequence[str]]], *, headed: bool, inline: Callable[[str], str] | None = None
) -> Iterator[NumberedLine]:
    if not rows:
        return
    first, width = rows[0][0], len(rows[0][1])
    if not headed:
        rows = [(first, [""] * width), *rows]
    yield NumberedLine(first, "")
    for place, (number, cells) in enumerate(rows):
        texts = ((inline or _rst_inline)(cell).replace("|", "\\|") for cell in cells)
        yield NumberedLine(number, f"| {' | '.join(texts)} |")
        if place == 0:
            yield NumberedLine(number, "|" + " --- |" * width)
    yield NumberedLine(rows[-1][0], "")


def _rst_inline(text: str) -> str:
    """
    >>> _rst_inline(":func:`~octavo.open` of ``a_b``, see `the site <https://e.org>`_ and [2]_")
    '`open` of `a_b`, see [the site](https://e.org) and [^2]'
    """
    pieces = _LITERAL.split(text)  # one group: literals stand at the odd places
    return "".join(f"`{piece}`" if at % 2 else _RST_INLINE.sub(_rst_piece, piece) for at, piece in enumerate(pieces))


def _rst_piece(match: re.Match[str]) -> str:
    if role := (match["role"] or "").rpartition(":")[2]:
        words, _, target = match["content"].partition("<")
        shown = words.strip() or target.rstrip(">")
        if role in ("pep", "rfc") and not target:
            return f"{role.upper()} {shown}"
        if role in _WORDED:
            return shown
        return f"`{shown.rpartition('.')[2] if shown.startswith('~') else shown.lstrip('!')}`"
    if match["target"]:
        return f"[{match['words']}]({match['target']})" if ":" in match["target"] else match["words"]
    if match["note"]:
        return f"[^{match['note']}]"
    return match["named"] or match["word"] or ""


def _org(lines: Lines, headings: Mapping[int, OutlineSection]) -> Iterator[NumberedLine]:
    at = 0
    while at < len(lines):
        number, line = lines[at]
        end = at + 1
        made: Lines = []
        if number in headings:
            made = _headed(number, headings[number], _org_inline(headings[number].title))
        elif block := _ORG_BLOCK.match(line):
            closing = re.compile(rf"\s*#\+end_{block['name']}\b", re.IGNORECASE)
            last = next((place for place in range(end, len(lines)) if closing.match(lines[place].text)), len(lines))
            made = [*_org_block(block["name"].lower(), block["argument"] or "", number, lines[end:last])]
            end = last + 1
        elif _DRAWER.fullmatch(line):
            last = _while(lines, end, lambda text: text.strip().upper() != ":END:")
            end = last + 1 if last < len(lines) else end
        elif line.lstrip().startswith("|"):
            end = _while(lines, at, lambda text: text.lstrip().startswith("|"))
            rows = [
                (row.number, [cell.strip() for cell in row.text.strip().strip("|").split("|")]) for row in lines[at:end]
            ]
            ruled = [bool(re.match(r"\s*\|-", row.text)) for row in lines[at:end]]
            kept = [row for row, rule in zip(rows, ruled, strict=True) if not rule]
            made = [*_table(kept, headed=ruled[1:2] == [True], inline=_org_inline)]
        elif re.match(r"\s*: ", line):
            end = _while(lines, at, re.compile(r"\s*:(?: |$)").match)
            made = _fence([row._replace(text=row.text.lstrip()[2:]) for row in lines[at:end]])
        elif not _ORG_UNSEEN.fullmatch(line):
            shown = re.sub(r"^\s*#\+caption:\s*(.*)$", r"*\1*", _org_inline(line), flags=re.IGNORECASE)
            shown = re.sub(r"^(\s*[-+] )(.+?) :: ", r"\1**\2** ", shown)
            made = [NumberedLine(number, re.sub(r"^(\[\^[\w-]+\])\s", r"\1: ", shown))]
        yield from made
        at = end


def _org_block(name: str, argument: str, number: int, body: Lines) -> Iterator[NumberedLine]:
    yield NumberedLine(number, "")
    if name in ("src", "example", "export", "comment"):
        yield from _fence(body, argument if name == "src" else "") if name != "comment" else ()
    else:
        if name != "quote":
            yield NumberedLine(number, f"> [!{name}]")
        yield from _indented(_org(_dedented(body), {}), "> ")
    yield NumberedLine(body[-1].number if body else number, "")


def _org_inline(text: str) -> str:
    """
    >>> _org_inline("Run =make all=, *then* see [[https://e.org][the site]] and [[file:dome.png]]")
    'Run `make all`, **then** see [the site](https://e.org) and ![](dome.png)'
    """
    return _ORG_INLINE.sub(_org_piece, text)


def _org_piece(match: re.Match[str]) -> str:
    if match["sign"]:
        mark = _ORG_SIGNS[match["sign"]]
        return f"{mark}{match['inside'] if mark == '`' else _org_inline(match['inside'])}{mark}"
    if match["note"]:
        return f"[^{match['note']}]"
    target = match["target"].removeprefix("file:")
    if match["shown"] is None and re.search(r"\.(?:png|jpe?g|gif|svg|webp)$", target, re.IGNORECASE):
        return f"![]({target})"
    shown = _org_inline(match["shown"] or target)
    return shown if target.startswith("*") else f"[{shown}](<{target}>)" if " " in target else f"[{shown}]({target})"
