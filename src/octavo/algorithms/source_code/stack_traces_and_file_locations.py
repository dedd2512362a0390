"""Stack traces and paths: which lines of which files a text speaks of, the innermost first."""

from __future__ import annotations

import re
from typing import NamedTuple

from octavo.lazy_regex import regex


class FrameLocation(NamedTuple):
    """A file as written, with `/` between its folders, and a line if one was named."""

    path: str
    line: int | None = None


class Frame(NamedTuple):
    place: FrameLocation
    name: str = ""


_MOST = 40  # frames, and places
_LONGEST_LINE = 600  # characters: a longer line of a text is no frame

_FILE = r"(?:[A-Za-z]:[\\/])?[^\s:\"'()<>|*?,;]*?[^\s:\"'()<>|*?,;\\/]\.[A-Za-z][A-Za-z0-9+]{0,9}"
_NAME = r"[\w$.<>:~\[\]#*&-]+"

# One pattern for each way of writing a frame, each with `file` and perhaps `line` and `name`.
_FRAMES = tuple(
    re.compile(pattern)
    for pattern in (
        # Python, and doctest's kin
        r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>\S+))?',
        # Java, Kotlin, Scala: at com.shop.Cart.add(Cart.java:42)
        r"^\s*at (?:[\w.$-]+/)*(?P<name>[\w.$<>]+)\((?P<file>[\w$-]+\.(?:java|kt|scala|groovy|clj)):(?P<line>\d+)\)",
        # JavaScript: at add (/srv/cart.js:10:5), at async load (file:///srv/a.mjs:1:2)
        rf"^\s*at (?:async |new )?(?P<name>{_NAME})(?: \[as [^\]]+\])? \((?:file://)?(?P<file>[^\s()]+?):(?P<line>\d+):\d+\)",
        r"^\s*at (?:async )?(?:file://)?(?P<file>[^\s()]*[/\\][^\s()]+?):(?P<line>\d+):\d+$",
        # C#: at Shop.Cart.Add(Item item) in /src/Cart.cs:line 42
        r"^\s*at (?P<name>[\w.`<>+]+)\([^)]*\) in (?P<file>.+?):line (?P<line>\d+)",
        # Ruby: cart.rb:12:in `add', cart.rb:12:in 'Cart#add'
        r"^\s*(?:from )?(?P<file>[^\s:]+\.rb):(?P<line>\d+):in [`'](?P<name>[^'`]+)'",
        # PHP: #0 /srv/cart.php(12): Cart->add()
        r"^\s*#\d+ (?P<file>[^\s():]+)\((?P<line>\d+)\): (?P<name>[\w\\:>-]+)\(",
        # gdb: #1  0x0040 in add (cart=0x0) at cart.c:12
        r"^\s*#\d+\s+(?:0x[0-9a-f]+ in )?(?P<name>[\w:~]+) \([^)]*\) at (?P<file>[^\s:]+):(?P<line>\d+)",
        # Go: \t/srv/cart.go:42 +0x1d
        r"^\t(?P<file>[^\s:]+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?$",
        # Rust: at ./src/cart.rs:42:5, panicked at src/main.rs:4:5
        r"^\s*(?:at|thread '[^']*' panicked at) (?:'[^']*', )?(?P<file>[^\s:]+\.rs):(?P<line>\d+)(?::\d+)?",
    )
)
_GO_NAME = regex(r"^(?P<name>[\w./*()-]+?)\((?:0x|\.\.\.|\))")
_RUST_NAME = regex(r"^\s*\d+: (?P<name>[\w:<>]+)")
_MARK = regex(r'File "|\bat |:\d+:in |^\s*#\d+\s|\.go:\d+|\.rs:\d+', re.MULTILINE)

_PLACE = regex(rf"(?<![\w/.])(?P<file>{_FILE}|[\w.@~+-]*/[\w./@~+-]*\w)(?:(?::|#L|\(|, line )(?P<line>\d+))?")
_NO_PATH = regex(r"\S{400,}")  # longer than any path; trying it would take time by the square of its length
_ADDRESS = regex(r"\b(?:https?|ftp)://\S+")
_OF_DEPENDENCIES = regex(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|rustc|registry/src|pkg/mod|vendor|gems)/"
    r"|^usr/(?:lib|local/go)/|^node:"
)
# What was raised: CartError: …, org.shop.CartException, panic: shop.CartError{…}, `Err` value: CartError { … }
_KIND_RAISED = regex(
    r"^(?:Exception in thread \"[^\"]*\" |Uncaught |Caused by: |panic: |[(&*])*(?P<name>[\w.$]*[A-Z]\w*)(?=[:({)]|$)"
    r"|`Err` value: (?P<value>\w+)",
    re.MULTILINE,
)
_ERROR_LINE = regex(r"^(?:[\w.$]+(?:Error|Exception|Warning|Fault|Interrupt|Exit)\b|panic:|fatal|error)", re.I)


def frames(text: str) -> tuple[Frame, ...]:
    """The frames of a trace, innermost first, those of dependencies behind; none if the text holds no trace."""
    if not _MARK.search(text):
        return ()
    frames_here: list[Frame] = []
    above = ""
    for line in text.split("\n"):
        frame = _frame(line[:_LONGEST_LINE], above)
        if frame is not None:
            frames_here.append(frame)
        above = line[:_LONGEST_LINE]
    # Python tells the innermost last, and a recursion the same frames again and again.
    innermost_first = dict.fromkeys(reversed(frames_here) if 'File "' in text else frames_here)
    return tuple(
        sorted(innermost_first, key=lambda frame: _OF_DEPENDENCIES.search(frame.place.path) is not None)[:_MOST]
    )


def _frame(line: str, above: str) -> Frame | None:
    for pattern in _FRAMES:
        if match := pattern.search(line):
            named = match.groupdict().get("name") or ""
            if not named and (outer := _GO_NAME.match(above) or _RUST_NAME.match(above)):
                named = outer["name"].rpartition("/")[2]
            return Frame(FrameLocation(_path(match["file"]), int(match["line"][:9])), _bare(named))
    return None


def _bare(name: str) -> str:
    """Without the marks of anonymous and nested functions, of pointers and of generated ones."""
    if name in ("<module>", "<anonymous>", "main.main", "Object.<anonymous>"):
        return ""
    return re.sub(r"<[^<>]*>|\(\*?(\w+)\)|\.\.|[()*&]|\$\d+|::\{\{.*", lambda match: match[1] or "", name).strip(".:#$")


def message_of(text: str) -> str:
    """What went wrong, in the words of the trace: its last line in Python, its first elsewhere."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    errors = [line for line in lines if _ERROR_LINE.match(line)]
    if not errors:
        errors = [
            line for line in lines if _frame(line, "") is None and not line.startswith(("Traceback", "at ", "File "))
        ]
        errors = errors[-1:] if 'File "' in text else errors[:1]
    return errors[-1] if 'File "' in text and errors else errors[0] if errors else ""


def raised_in(text: str) -> str:
    """The name of the kind of error that ended in the trace; empty where it tells none.

    >>> raised_in('  File "a.py", line 1, in f\\n    pay()\\nshop.errors.NoMoney: there is none')
    'shop.errors.NoMoney'
    """
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.lstrip().startswith('File "')]
    if ends:  # in Python the first line behind the frames that is not indented, whatever it is called
        last = next((line for line in lines[ends[-1] + 1 :] if line.strip() and not line[0].isspace()), "")
        return last.partition(":")[0] if re.fullmatch(r"[\w.]{1,200}", last.partition(":")[0]) else ""
    raised = _KIND_RAISED.search(f"{message_of(text)[:_LONGEST_LINE]}\n{text}")
    return (raised["name"] or raised["value"] or "") if raised else ""


def places_in(text: str) -> tuple[FrameLocation, ...]:
    """Files that a text names, each once, in the order of the text; addresses on the web are none."""
    places: dict[FrameLocation, None] = {}
    for match in _PLACE.finditer(_NO_PATH.sub(" ", _ADDRESS.sub(" ", text[:10_000]))):
        line = match["line"]
        places[FrameLocation(_path(match["file"]), int(line[:9]) if line else None)] = None
        if len(places) >= _MOST:
            break
    return tuple(places)


def _path(written: str) -> str:
    plain = written.replace("\\", "/")
    return re.sub(r"^(?:[A-Za-z]:)?/*(?:\.{1,2}/)*", "", plain)
