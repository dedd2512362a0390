"""Counts files that were not read, by reason: `23 .pdf (install pypdfium2), 12 images, 6 .xyz`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from textwrap import shorten

from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex
from octavo.model.file_formats import ending

_KIND = regex(r"^an? ([a-z ]+): (?:there is no text to read|OCR is off|--archives .*)$")
_UNINSTALLED = regex(r": (install (\S+)) to read it$")
_LONGEST = 40


class ExcludedFiles(Value):
    """So many files that were not read for the same reason. `what` is for people: `.pdf (install pypdfium2)`."""

    what: str
    count: int
    reason: str

    @property
    def install_hint(self) -> str | None:
        """What to do where a package is missing that reads them."""
        missing = _UNINSTALLED.search(self.reason)
        return f"run `pip {missing[1]}`, then `octavo index`" if missing else None


def excluded_files(problems: Iterable[tuple[str, str]]) -> tuple[ExcludedFiles, ...]:
    """From the uri and the reason of each file, most frequent first."""
    counts: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for uri, reason in problems:
        what = _label(uri, reason)
        counts[what] += 1
        reasons.setdefault(what, reason)
    return _ordered(counts, reasons)


def excluded_files_text(excluded: Iterable[ExcludedFiles], most: int = 8) -> str:
    """`23 .pdf (install pypdfium2), 12 images, 6 .xyz`"""
    groups = list(excluded)
    counts = [f"{group.count:,} {_plural(group.what, group.count)}" for group in groups[:most]]
    rest = sum(group.count for group in groups[most:])
    return ", ".join(counts + ([f"{rest:,} other{'s' if rest > 1 else ''}"] if rest else []))


def _label(uri: str, reason: str) -> str:
    extension = ending(uri)
    if missing := _UNINSTALLED.search(reason):
        return f"{extension} ({missing[1]})"
    if kind := _KIND.match(reason):
        return kind[1]
    if reason.startswith("nothing reads"):
        return extension or "without an extension"
    # Which file could not be read is no reason: the reason stands behind its path.
    head = re.split("[:;(]", re.sub("^cannot read .*: ", "", reason), maxsplit=1)[0]
    return f"{extension or uri.rpartition('/')[2]} ({shorten(head, _LONGEST, placeholder=' …')})"


def _plural(what: str, count: int) -> str:
    if count == 1 or what.startswith(".") or what.endswith((")", "film", "extension")):
        return what
    return f"{what}s"


def merged(groups: Iterable[ExcludedFiles]) -> tuple[ExcludedFiles, ...]:
    """Of several collections: what was left out for the same reason, counted as one."""
    counts: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for group in groups:
        counts[group.what] += group.count
        reasons.setdefault(group.what, group.reason)
    return _ordered(counts, reasons)


def _ordered(counts: Counter[str], reasons: Mapping[str, str]) -> tuple[ExcludedFiles, ...]:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(ExcludedFiles(what, number, reasons[what]) for what, number in ordered)
