"""Redaction: keys and tokens written out in a text are blacked out before anything is stored or embedded.

Only what nothing else looks like is recognised: tokens with a fixed prefix, private key blocks, JSON web tokens, and
what stands behind the name of a password or key (`secret_assignments`). Each character of a match becomes one mark and
line ends stay, so that offsets and line numbers hold.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, product
from typing import TypeVar, cast

from octavo.algorithms.compiled.hint_search import CompiledHints
from octavo.algorithms.compiled.library_loading import compiled_library
from octavo.lazy_regex import regex
from octavo.model.indexing_ledger import REDACTED
from octavo.model.normalised_text_and_spans import Span
from octavo.sources.secret_assignments import COMPILED_FROM, find_assigned
from octavo.sources.secret_spans import SecretMatch, without_overlaps

_HintRules = tuple[str, tuple[tuple[str, re.Pattern[str]], ...]]

VERSION = "redaction-6"
"""Recorded in the recipe: another set of rules makes another index."""

MARK = "█"
MARKS = regex(f"{MARK}+")
PRIVATE_KEY = "private key"

# A token starts where no word goes on; before it may stand an escape that ends in a letter (`\n`, `\u003d`, `%3D`),
# a colour of a terminal, the sign of a removed line or the underscore of an emphasis. No token has a blank in it, so
# hints are looked for only among long words. A rule is tried where one of its hints stands, which `str.find` looks for
# at the speed of memory, so that all of this stays below three hundredths of indexing. No rule repeats a group that
# repeats, and runs are possessive: a match fails at once.
_START = (
    r"(?:(?<![A-Za-z0-9_-])|(?<=\n-)|(?<=_)(?<![A-Za-z0-9-]_)|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})"
    r"|(?<=\\x[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m))"
)
_END = r"(?![A-Za-z0-9-]|_{1,3}[A-Za-z0-9-])"
_W = r"[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"
_HEX = "[a-f0-9]"
_GITLAB = ("pat", "dt", "rt", "ptt", "cbt", "ft", "soat", "imt", "agent", "oas", "ffct")  # personal, deploy, runner …
_RULES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), rf"{_START}A(?:KI|SI|BI|CC)A[A-Z0-9]{{16}}(?!{_A})"),
    (
        "AWS secret key",
        ("ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey"),
        r"(?i:ecret_?access_?key)[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    ("AWS Bedrock key", ("ABSK",), rf"{_START}ABSK[A-Za-z0-9+/]{{100,300}}+={{0,2}}"),
    ("Azure storage key", ("AccountKey=",), r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("Azure access signature", ("sig=",), r"(?<=[?&;\"'])sig=([A-Za-z0-9%+/]{43,100}+=?)"),
    ("Azure client secret", ("Q~",), r"(?<=[A-Za-z0-9_~.-]{3}[0-9])Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])"),
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{_START}gh[pousr]_{_A}{{30,255}}+"),
    ("GitHub token", ("github_pat_",), rf"{_START}github_pat_[A-Za-z0-9_]{{22,255}}+"),
    ("GitLab token", tuple(f"gl{kind}-" for kind in _GITLAB), rf"{_START}gl(?:{'|'.join(_GITLAB)})-{_W}{{20,300}}+"),
    ("Slack token", ("xox",), rf"{_START}xox[abeoprs]-[A-Za-z0-9-]{{10,300}}+"),
    ("Slack token", ("xapp-",), rf"{_START}xapp-[0-9]-[A-Za-z0-9-]{{30,300}}+"),
    ("Slack webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,300}+"),
    ("Google API key", ("AIza",), rf"{_START}AIza{_W}{{35}}{_END}"),
    ("Google client secret", ("GOCSPX-",), rf"{_START}GOCSPX-{_W}{{20,100}}+"),
    ("Google access token", ("ya29.",), rf"{_START}ya29\.{_W}{{20,2000}}+"),
    (
        "Stripe key",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"),
        rf"{_START}(?:[sr]k_(?:live|test)|whsec)_{_A}{{16,300}}+",
    ),
    ("Anthropic key", ("sk-",), rf"{_START}sk-ant-{_W}{{20,300}}+"),
    (
        "OpenAI key",
        ("sk-",),
        rf"{_START}sk-(?:(?:proj|svcacct|admin)-{_W}{{20,300}}+|{_A}{{20,300}}+(?![A-Za-z-]))",
    ),
    ("OpenRouter key", ("sk-",), rf"{_START}sk-or-v1-{_HEX}{{64}}{_END}"),
    ("Groq key", ("gsk_",), rf"{_START}gsk_{_A}{{52}}{_END}"),
    ("xAI key", ("xai-",), rf"{_START}xai-{_A}{{70,100}}+{_END}"),
    ("Perplexity key", ("pplx-",), rf"{_START}pplx-{_A}{{40,64}}+{_END}"),
    ("Replicate token", ("r8_",), rf"{_START}r8_{_A}{{37}}{_END}"),
    ("Hugging Face token", ("hf_",), rf"{_START}hf_{_A}{{30,100}}+(?!_{{1,3}}{_A})"),
    ("Hugging Face token", ("api_org_",), rf"{_START}api_org_{_A}{{34}}{_END}"),
    ("npm token", ("npm_",), rf"{_START}npm_{_A}{{36}}(?!_{{0,3}}{_A})"),
    ("PyPI token", ("pypi-AgE",), rf"{_START}pypi-AgE{_W}{{50,1000}}+"),
    ("Docker Hub token", ("dckr_",), rf"{_START}dckr_[po]at_{_W}{{27,40}}+{_END}"),
    ("SendGrid key", ("SG.",), rf"{_START}SG\.{_W}{{16,64}}+\.{_W}{{16,100}}+"),
    ("Twilio key", ("SK",), rf"{_START}SK{_HEX}{{32}}{_END}"),
    ("Mailgun key", ("key-",), rf"{_START}key-{_HEX}{{32}}{_END}"),
    ("Telegram bot token", (":AA",), rf"(?<=[0-9]{{8}}):(AA{_W}{{33}}){_END}"),
    ("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), rf"{_START}do[opr]_v1_{_HEX}{{64}}"),
    (
        "Shopify token",
        ("shpat_", "shpca_", "shppa_", "shpss_"),
        rf"{_START}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}{_END}",
    ),
    ("Databricks token", ("dapi",), rf"{_START}dapi{_HEX}{{32}}(?:-[0-9])?{_END}"),
    ("Linear key", ("lin_api_", "lin_oauth_"), rf"{_START}lin_(?:api|oauth)_{_A}{{40,64}}+{_END}"),
    ("Notion token", ("ntn_",), rf"{_START}ntn_[0-9]{{11}}{_A}{{35}}{_END}"),
    ("Notion token", ("secret_",), rf"{_START}secret_{_A}{{43}}{_END}"),
    ("Vault token", ("hvs.", "hvb.", "hvr."), rf"{_START}hv[sbr]\.{_W}{{24,300}}+"),
    (
        "Doppler token",
        ("dp.",),
        rf"{_START}dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{{2,35}}+)?)\.{_A}{{40,44}}{_END}",
    ),
    ("Grafana token", ("glsa_",), rf"{_START}glsa_{_A}{{32}}_{_HEX}{{8}}{_END}"),
    ("Atlassian token", ("ATATT3",), rf"{_START}ATATT3{_W}{{60,300}}+(?:={_A}{{8}})?"),
    ("Sentry token", ("sntrys_", "sntryu_"), rf"{_START}sntry[su]_[A-Za-z0-9+/=_-]{{60,300}}+"),
    ("Postman key", ("PMAK-",), rf"{_START}PMAK-{_HEX}{{24}}-{_HEX}{{34}}{_END}"),
    ("New Relic key", ("NRAK-",), rf"{_START}NRAK-[A-Z0-9]{{27}}{_END}"),
    ("Supabase token", ("sbp_",), rf"{_START}sbp_{_HEX}{{40}}{_END}"),
    ("LangSmith key", ("lsv2_",), rf"{_START}lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}{_END}"),
    ("Pinecone key", ("pcsk_",), rf"{_START}pcsk_{_A}{{2,10}}_{_A}{{40,80}}+{_END}"),
    ("Figma token", ("figd_",), rf"{_START}figd_{_W}{{38,46}}+"),
    ("Netlify token", ("nfp_",), rf"{_START}nfp_{_A}{{36}}{_END}"),
    ("RubyGems key", ("rubygems_",), rf"{_START}rubygems_{_HEX}{{48}}{_END}"),
    ("Tailscale key", ("tskey-",), rf"{_START}tskey-[a-z]{{3,10}}+-{_A}{{8,24}}+-{_A}{{20,64}}+"),
    ("PlanetScale token", ("pscale_",), rf"{_START}pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{{32,64}}+"),
    ("Terraform token", (".atlasv1.",), rf"(?<=[A-Za-z0-9]{{14}})\.atlasv1\.{_W}{{60,70}}+"),
    ("Brevo key", ("xkeysib-",), rf"{_START}xkeysib-{_HEX}{{64}}-{_A}{{16}}{_END}"),
    ("1Password token", ("ops_eyJ",), rf"{_START}ops_eyJ{_W}{{100,2000}}+"),
    ("Discord webhook", ("/api/webhooks/",), rf"/api/webhooks/[0-9]{{17,20}}+/({_W}{{60,80}}+)"),
    ("age key", ("AGE-SECRET-KEY-1",), rf"{_START}AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{{58}}{_END}"),
    (
        "PuTTY key",
        ("Private-Lines:",),
        r"Private-Lines: [0-9]{1,3}\r?\n((?:[-+ ]{0,2}[A-Za-z0-9+/=]{1,64}+\r?(?:\n|\Z)){1,500}+)",
    ),
    ("JSON web token", ("eyJ",), rf"{_START}eyJ{_W}{{8,4000}}+\.eyJ{_W}{{8,8000}}+\.{_W}{{16,2000}}+"),
)
# The token of a Discord bot has no prefix: it begins with the bot's number, and digits in base 64 have few forms.
_DISCORD = regex(
    rf"{_START}(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){{5}}[A-Za-z0-9]{{3,8}}\.{_W}{{6}}\.{_W}{{27,40}}+{_END}"
)
_DIGITS = regex(r"[MNO][DTjz][AEIMQUYcgk][w-z0-5][MNO][DTjz][AEIMQUYcgk][w-z0-5]")  # six of them: quickly ruled out
_ESCAPED = "\\_"
_SHORTEST = 14  # characters of a word that can hold a hint and a token, or be the hint of one that follows

_BEGIN = "-----BEGIN "
_KEY_HEAD = regex(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = regex(r"-----END [A-Z0-9 ]{1,40}-----")
_END_OF_KEY = "PRIVATE KEY"
_KEY_TAIL = regex(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LENGTH = 20_000  # characters; the longest keys in use have a third of that
_KEY_LINE = regex(r"[A-Za-z0-9+/=]{16,}+|[A-Za-z-]{1,32}: .{0,120}|")
_TAIL_LINE = regex(r"[A-Za-z0-9+/]{16,}+={0,2}|=?[A-Za-z0-9+/]{4}={0,2}|[A-Za-z0-9+/]{2,15}+={1,2}")
_AROUND_KEY_LINE = " \t+-#/*>|\"',\\…"
_BODY = regex(r"[A-Za-z0-9+/=]{32}")
_LEAD = 700  # characters before the key itself: its headers


def redacted(text: str) -> tuple[str, tuple[SecretMatch, ...]]:
    """The text with every key and token blacked out, and what was found, in order."""
    secrets = find_keys(text)
    if not secrets:
        return text, ()
    parts, at = [], 0
    for match in secrets:
        span = match.span
        parts += [text[at : span.start], re.sub(r"[^\n]", MARK, span.of(text))]
        at = span.end
    return "".join([*parts, text[at:]]), secrets


Plain = TypeVar("Plain")


def redacted_values(values: Plain) -> tuple[Plain, tuple[SecretMatch, ...]]:
    """The same of plain JSON: of every text in lists and objects, and of their keys."""
    secrets = find_keys(json.dumps(values, ensure_ascii=False, default=str))
    return (cast("Plain", _hidden(values)) if secrets else values), secrets


def _hidden(value: object) -> object:
    if isinstance(value, str):
        return redacted(value)[0]
    if isinstance(value, Mapping):
        return {_hidden(key): _hidden(inner) for key, inner in value.items()}
    return [_hidden(inner) for inner in value] if isinstance(value, list | tuple) else value


def replaced_by_marks(before: str, after: str) -> tuple[SecretMatch, ...]:
    """The keys and tokens of `before` that `after` has new marks for: redacted text was written back.

    They are gone, or marks of their length stand elsewhere now, and the next edit takes what looks the same twice.
    Marks that the author wrote are text like any other.
    """
    marks = new_marks(before, after)
    keys = find_keys(before) if marks else ()
    return tuple(match for match in keys if _is_marked(match.span.of(before), before, after, marks))


def new_marks(before: str, after: str) -> Counter[str]:
    """The runs of marks that `after` has more of than `before`."""
    return Counter(MARKS.findall(after)) - Counter(MARKS.findall(before)) if MARK in after else Counter()


def _is_marked(key: str, before: str, after: str, marks: Counter[str]) -> bool:
    lines = (line for line in key.split("\n") if len(line) >= _SHORTEST)
    return after.count(key) < before.count(key) or any(MARK * len(line) in marks for line in lines)


def find_keys(text: str) -> tuple[SecretMatch, ...]:
    """Keys and tokens of well-known formats, in order; of overlapping ones only the first."""
    if _ESCAPED not in text:
        return without_overlaps(_candidates(text))
    return without_overlaps(chain(_candidates(text), _between_escapes(text)))


def _between_escapes(text: str) -> Iterator[SecretMatch]:
    """What is found where `\\_` is read as the underscore that it stands for, as editors of Markdown write it."""
    pieces = text.split(_ESCAPED)
    cuts = list(accumulate(map(len, pieces[:-1]), lambda at, size: at + 1 + size))  # where a backslash was, without it
    for match in _candidates("_".join(pieces)):
        start, last = match.span.start, match.span.end - 1
        yield SecretMatch(match.kind, Span(start + bisect_right(cuts, start), last + bisect_right(cuts, last) + 1))


def described(text: str, secrets: tuple[SecretMatch, ...]) -> tuple[str, ...]:
    """A line for each finding, for the ledger: the rule and the line number, never the secret."""
    return tuple(f"{REDACTED}{match.kind}, line {text.count(chr(10), 0, match.span.start) + 1}" for match in secrets)


def _candidates(text: str) -> Iterator[SecretMatch]:
    occurring, digits = _occurring_hints(text)
    # The compiled search takes bytes for characters and knows ASCII's white space alone: it finds more words long.
    words = "\n".join([word for word in text.split() if len(word) >= _SHORTEST]) if occurring or digits else ""
    for hint, rules in occurring:
        if hint not in words:
            continue
        at = text.find(hint)
        while at >= 0:
            end = at + len(hint)
            for kind, pattern in rules:
                if match := pattern.match(text, at):
                    yield SecretMatch(kind, Span(*match.span(match.lastindex or 0)))
                    end = match.end()
            at = text.find(hint, end)
    if digits and _DIGITS.search(words):
        yield from (SecretMatch("Discord bot token", Span(*match.span())) for match in _DISCORD.finditer(text))
    yield from find_assigned(text)
    if _BEGIN in text:
        for head in _KEY_HEAD.finditer(text):
            if _BODY.search(text, head.end(), head.end() + _LEAD):
                yield SecretMatch(PRIVATE_KEY, Span(head.start(), _key_end(text, head.end())))
    if _END_OF_KEY in text:
        for tail in _KEY_TAIL.finditer(text):
            start = _key_start(text, tail.start())
            if start < tail.start():
                yield SecretMatch(PRIVATE_KEY, Span(start, tail.end()))


def _occurring_hints(text: str) -> tuple[Sequence[_HintRules], bool]:
    """Hints that long words may hold, with their rules, and whether digits of a Discord bot may be in one."""
    hints = compiled_hints() if len(text) >= COMPILED_FROM else None
    if hints is None:
        return _rules_by_hint(), True
    rules, occurs = _rules_by_hint(), hints.occurring(text, _SHORTEST)
    return [rules[number] for number in occurs if number < len(rules)], bool(occurs) and occurs[-1] >= len(rules)


@cache
def compiled_hints() -> CompiledHints | None:
    library = compiled_library()
    if library is None:
        return None
    return CompiledHints(library, [*(hint for hint, _ in _rules_by_hint()), *map("".join, product("MNO", "DTjz"))])


@cache
def _rules_by_hint() -> tuple[_HintRules, ...]:
    compiled = [(kind, hints, regex(pattern)) for kind, hints, pattern in _RULES]
    every_hint = dict.fromkeys(hint for _, hints, _ in compiled for hint in hints)
    return tuple(
        (hint, tuple((kind, pattern) for kind, hints, pattern in compiled if hint in hints)) for hint in every_hint
    )


def _key_start(text: str, end: int) -> int:
    """Where the last lines of a private key begin, of which a diff may show no more; `end` where none stand there."""
    at = start = text.rfind("\n", 0, end) + 1
    while at > max(0, end - _KEY_LENGTH):
        before = text.rfind("\n", 0, at - 1) + 1
        if not _TAIL_LINE.fullmatch(text[before : at - 1].strip(_AROUND_KEY_LINE)):
            break
        at = start = before
    return start if start < text.rfind("\n", 0, end) + 1 else end


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
