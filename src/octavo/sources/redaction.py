"""Redaction: keys and tokens written out in a text are blacked out before anything is stored or embedded.

Only formats that nothing else has are recognised: tokens with a fixed prefix, private key blocks, JSON web tokens. Each
character of a match becomes one mark and line ends stay, so that offsets and line numbers hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from octavo.model.ledger import REDACTED
from octavo.model.text import Span
from octavo.sources.secrets import SecretMatch

VERSION = "redaction-1"
"""Recorded in the recipe: another set of rules makes another index."""

MARK = "█"

# A token starts where no word goes on; in a diff also behind the sign of a removed line. A rule is tried only where one
# of its hints stands, which `str.find` looks for at the speed of memory: few hints, so that this stays below three
# hundredths of indexing. No rule repeats a group that repeats, and runs are possessive: a match fails at once.
_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\n-))"
_W = r"[A-Za-z0-9_-]"
_RULES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("AWS access key", ("AKIA", "ASIA"), rf"{_START}A[KS]IA[A-Z0-9]{{16}}(?![A-Za-z0-9])"),
    (
        "AWS secret key",
        ("ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"),
        r"(?i:ecret_?access_?key)[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    ("Azure storage key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{_START}gh[pousr]_[A-Za-z0-9]{{30,255}}+"),
    ("GitHub token", ("github_pat_",), rf"{_START}github_pat_[A-Za-z0-9_]{{22,255}}+"),
    ("GitLab token", ("glpat-",), rf"{_START}glpat-{_W}{{20,300}}+"),
    ("Slack token", ("xox",), rf"{_START}xox[abeoprs]-[A-Za-z0-9-]{{10,300}}+"),
    ("Slack webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,300}+"),
    ("Google API key", ("AIza",), rf"{_START}AIza{_W}{{35}}(?!{_W})"),
    ("Google client secret", ("GOCSPX-",), rf"{_START}GOCSPX-{_W}{{20,100}}+"),
    ("Google access token", ("ya29.",), rf"{_START}ya29\.{_W}{{20,2000}}+"),
    ("Stripe key", ("sk_live_", "rk_live_", "whsec_"), rf"{_START}(?:[sr]k_live|whsec)_[A-Za-z0-9]{{16,300}}+"),
    ("Anthropic key", ("sk-",), rf"{_START}sk-ant-{_W}{{20,300}}+"),
    (
        "OpenAI key",
        ("sk-",),
        rf"{_START}sk-(?:(?:proj|svcacct|admin)-{_W}{{20,300}}+|[A-Za-z0-9]{{20,300}}+(?![A-Za-z-]))",
    ),
    ("Hugging Face token", ("hf_",), rf"{_START}hf_[A-Za-z0-9]{{30,100}}+(?![A-Za-z0-9_])"),
    ("npm token", ("npm_",), rf"{_START}npm_[A-Za-z0-9]{{36}}(?![A-Za-z0-9_])"),
    ("PyPI token", ("pypi-AgE",), rf"{_START}pypi-AgE{_W}{{50,1000}}+"),
    ("SendGrid key", ("SG.",), rf"{_START}SG\.{_W}{{16,64}}+\.{_W}{{16,100}}+"),
    ("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), rf"{_START}do[opr]_v1_[a-f0-9]{{64}}"),
    ("Shopify token", ("shpat_", "shpca_", "shppa_"), rf"{_START}shp(?:at|ca|pa)_[a-fA-F0-9]{{32}}"),
    ("JSON web token", ("eyJ",), rf"{_START}eyJ{_W}{{8,4000}}+\.eyJ{_W}{{8,8000}}+\.{_W}{{16,2000}}+"),
)

_BEGIN = "-----BEGIN "
_KEY_HEAD = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{1,40}-----")
_KEY_LENGTH = 20_000  # characters; the longest keys in use have a third of that
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16,}+|[A-Za-z-]{1,32}: .{0,120}|")
_AROUND_KEY_LINE = " \t+-#/*>|\"',\\…"
_BODY = re.compile(r"[A-Za-z0-9+/=]{32}")
_LEAD = 700  # characters before the key itself: its headers


def redacted(text: str) -> tuple[str, tuple[SecretMatch, ...]]:
    """The text with every key and token blacked out, and what was found, in order."""
    found = find_keys(text)
    if not found:
        return text, ()
    parts, at = [], 0
    for match in found:
        span = match.span
        parts += [text[at : span.start], re.sub(r"[^\n]", MARK, span.of(text))]
        at = span.end
    return "".join([*parts, text[at:]]), found


def find_keys(text: str) -> tuple[SecretMatch, ...]:
    """Keys and tokens of well-known formats, in order; of overlapping ones only the first."""
    matches = sorted(_candidates(text), key=lambda match: (match.span.start, -match.span.end))
    apart: list[SecretMatch] = []
    for match in matches:
        if not apart or match.span.start >= apart[-1].span.end:
            apart.append(match)
    return tuple(apart)


def described(text: str, found: tuple[SecretMatch, ...]) -> tuple[str, ...]:
    """A line for each finding, for the ledger: the rule and the line number, never the secret."""
    return tuple(f"{REDACTED}{match.kind}, line {text.count(chr(10), 0, match.span.start) + 1}" for match in found)


def _candidates(text: str) -> Iterator[SecretMatch]:
    for hint, rules in _rules_by_hint():
        at = text.find(hint)
        while at >= 0:
            end = at + len(hint)
            for kind, pattern in rules:
                if found := pattern.match(text, at):
                    yield SecretMatch(kind, Span(*found.span(found.lastindex or 0)))
                    end = found.end()
            at = text.find(hint, end)
    if _BEGIN in text:
        for head in _KEY_HEAD.finditer(text):
            if _BODY.search(text, head.end(), head.end() + _LEAD):
                yield SecretMatch("private key", Span(head.start(), _key_end(text, head.end())))


@cache
def _rules_by_hint() -> tuple[tuple[str, tuple[tuple[str, re.Pattern[str]], ...]], ...]:
    compiled = [(kind, hints, re.compile(pattern)) for kind, hints, pattern in _RULES]
    every_hint = dict.fromkeys(hint for _, hints, _ in compiled for hint in hints)
    return tuple(
        (hint, tuple((kind, pattern) for kind, hints, pattern in compiled if hint in hints)) for hint in every_hint
    )


def _key_end(text: str, start: int) -> int:
    """Where a private key ends: at its last line or, where that was cut off, with the last line that looks like it."""
    end = _KEY_END.search(text, start, start + _KEY_LENGTH)
    if end:
        return end.end()
    at = stop = start
    while at < min(len(text), start + _KEY_LENGTH):
        after = text.find("\n", at)
        after = len(text) if after < 0 else after
        line = text[at:after].strip(_AROUND_KEY_LINE)
        if not _KEY_LINE.fullmatch(line):
            break
        stop = after if line else stop
        at = after + 1
    return stop if stop > start else min(len(text), start + _LEAD)
