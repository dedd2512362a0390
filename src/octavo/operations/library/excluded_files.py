"""Counts files that were not read, by reason: `23 .pdf (install octavo[formats]), 12 images, 6 .xyz`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from octavo.dataclass import dataclass
from octavo.model.formats import EXTRA, ending

_KIND = re.compile(r"^an? ([a-z ]+): (?:there is no text to read|OCR is off|--archives .*)$")
_LONGEST = 40

INSTALL_HINT = f"run `pip install '{EXTRA}'`, then `octavo index`"


@dataclass(frozen=True, slots=True)
class ExcludedFiles:
    """So many files that were not read for the same reason. `what` is for people: `.pdf (install octavo[formats])`."""

    what: str
    count: int
    reason: str

    @property
    def needs_extra(self) -> bool:
        return EXTRA in self.reason


def excluded_files(problems: Iterable[tuple[str, str]]) -> tuple[ExcludedFiles, ...]:
    """From the uri and the reason of each file, most frequent first."""
    counts: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    for uri, reason in problems:
        what = _label(uri, reason)
        counts[what] += 1
        reasons.setdefault(what, reason)
    return _ordered(counts, reasons)


def excluded_files_text(found: Iterable[ExcludedFiles], most: int = 8) -> str:
    """`23 .pdf (install octavo[formats]), 12 images, 6 .xyz`"""
    groups = list(found)
    said = [f"{group.count:,} {_plural(group.what, group.count)}" for group in groups[:most]]
    rest = sum(group.count for group in groups[most:])
    return ", ".join(said + ([f"{rest:,} other{'s' if rest > 1 else ''}"] if rest else []))


def _label(uri: str, reason: str) -> str:
    extension = ending(uri)
    if EXTRA in reason:
        return f"{extension} (install {EXTRA})"
    if kind := _KIND.match(reason):
        return kind[1]
    if reason.startswith("nothing reads"):
        return extension or "without an extension"
    head = re.split("[:;(]", reason, maxsplit=1)[0].strip()
    return f"{extension or uri.rpartition('/')[2]} ({head[:_LONGEST]})"


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
