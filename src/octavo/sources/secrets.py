"""Secrets: files and texts that must never enter a library.

Files are recognised by name: `id_ed25519` or `credentials.json` is not opened. Text to be remembered is recognised by
pattern: tokens of well-known services, private keys, passwords written out. Both avoid false alarms: prose about
secrets, source code called `secrets.py`, placeholders and examples are not secrets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from math import log2

from octavo.model.text import Span

_CONFIG = r"(?:json|ya?ml|toml|ini|cfg|conf|properties|env|xml|plist|enc|gpg|bak|old)"
_DATA = rf"(?:{_CONFIG}|txt|csv)"

# Source code may be called after what it deals with: `secrets.py`, `api_key.go`. Keys in it are redacted by pattern.
_CODE = (
    r"(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|vue|svelte|go|rs|rb|java|kt|kts|scala|swift|c|h|cc|cpp|hpp|cs|php|pl|pm|lua|r|jl"
    r"|ex|exs|erl|hs|ml|clj|dart|sql|sh|bash|ps1|zig|proto|css|scss)"
)

_NAMES: tuple[tuple[str, str], ...] = (
    ("an environment file", r"\.env|\.env\.(?!(?:example|sample|template|dist|defaults?)$).+|.+\.env|\.envrc"),
    ("a private key", r".+\.(?:pem|key|ppk|p8|jks|keystore)|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!\.pub$)(?:\..+)?"),
    ("a private key", rf"private[_-]?key(?!.*\.{_CODE}$).*"),
    ("a key store or password safe", r".+\.(?:kdbx?|p12|pfx|pkcs12|agilekeychain|opvault|1pux|keychain(?:-db)?)"),
    ("a wallet", rf"wallet\.(?!{_CODE}$).+"),
    ("a file of credentials", rf"\.?(?:aws[_-]?)?credentials?(?:\.{_DATA})?|.*[._-]credentials?\.{_CONFIG}"),
    ("a file of secrets", rf"\.?secrets?(?:\.{_DATA})?|secrets\.(?!{_CODE}$).+|.*[._-]secrets?\.{_CONFIG}"),
    ("a file of passwords", rf"\.?(?:passwords?|passwd|htpasswd|pgpass)(?:\.{_DATA})?|shadow"),
    ("a file of passwords", rf"passwords?\.(?!{_CODE}$).+"),
    ("a log-in file", r"[._]netrc|\.npmrc|\.pypirc|\.dockercfg|\.git-credentials|\.my\.cnf|\.s3cfg|\.boto"),
    ("a service account key", r"(?:.*[_-])?service[_-]?account.*\.json|.*-adminsdk-.*\.json|client_secret.*\.json"),
    ("a token file", rf"(?:auth|access|api|refresh|bearer)[_-]?tokens?\.{_DATA}|token\.{_CONFIG}|auth\.json"),
    ("a file of API keys", rf"api_key(?!.*\.{_CODE}$).*|apikeys?\.{_DATA}"),
    ("a service's key", r"(?:gcp|gcloud|google|firebase|sa)[_-]key\.json|credentials\.tfrc\.json"),
    (
        "codes for getting back in",
        rf"(?:recovery|backup)[_-]?codes?\.(?:{_DATA}|md)|seed[_-]?phrase.*|mnemonic\.{_DATA}",
    ),
    ("settings with log-ins", r"local\.settings\.json|sftp-config\.json|\.ftpconfig|env\.local|oauth[_-]?creds?\.json"),
    ("a cluster's log-in file", r"kube[_-]?config(?:[._-].*)?\.(?:ya?ml|json|conf|bak|old)|kubeconfig|.+\.kubeconfig"),
    ("Terraform's state or variables", r".*\.tfstate.*|.*\.tfvars(?:\.json)?"),
    ("a site's configuration with its passwords", r"wp-config(?:[._-].*)?\.php(?:\..+)?"),
    ("a configuration with remote log-ins", r"rclone\.conf|wg.*\.conf"),
)
_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store"})
_IN_FOLDER = frozenset({("docker", "config.json"), ("gh", "hosts.yml"), ("gcloud", "access_tokens.db")})


def is_secret_name(path: str) -> str | None:
    """Why a file of this name, or at this path, is assumed to contain secrets; None for any other."""
    *folders, name = path.split("/")
    if folders:
        if not _FOLDERS.isdisjoint(map(str.lower, folders)):
            return "it may hold secrets: it lies in a folder of keys"
        if (folders[-1].lower(), name.lower()) in _IN_FOLDER:
            return f"it may hold secrets: {folders[-1]}/{name} is a log-in file"
    return _reason(name)


@cache
def _secret_name() -> re.Pattern[str]:
    return re.compile("|".join(rf"(?:{pattern})\Z()" for _, pattern in _NAMES), re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=4096)
def _reason(name: str) -> str | None:
    found = _secret_name().match(name)
    return f"it may hold secrets: named like {_NAMES[found.lastindex - 1][0]}" if found and found.lastindex else None


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """What was recognised and where. The secret itself is not stored, so that a message cannot leak it."""

    kind: str
    span: Span


# Patterns stay strings until they are needed (`re` caches the compiled form): scanning a folder does not use them. A
# pattern is searched only where one of its hints occurs. The lookbehind keeps a long run of letters from being tried
# at each of its characters, which makes the search linear.
_START = r"(?<![A-Za-z0-9_-])"
_SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("AWS access key", ("AKIA", "ASIA"), r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    ("GitHub token", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("GitLab token", ("glpat-",), r"glpat-[A-Za-z0-9_-]{20,}"),
    ("Slack token", ("xox",), r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("Slack webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("Google API key", ("AIza",), r"AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("Google client secret", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("Google access token", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{20,}"),
    ("Stripe key", ("k_live_", "whsec_"), r"(?:[sr]k_live|whsec)_[A-Za-z0-9]{16,}"),
    ("Anthropic key", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{20,}"),
    ("OpenAI key", ("sk-",), r"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,})"),
    ("Hugging Face token", ("hf_",), r"hf_[A-Za-z0-9]{30,}"),
    ("npm token", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    ("PyPI token", ("pypi-",), r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    ("SendGrid key", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    ("DigitalOcean token", ("do",), r"do[opr]_v1_[a-f0-9]{64}"),
    ("JSON web token", ("eyJ",), r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}"),
)

_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]){1,8}"
    r"(?:[A-Za-z-]{1,32}: [^\n]{0,120}\n{1,2}){0,5}[A-Za-z0-9+/=]{32,}"
    r"(?:[^-]{0,20000}-----END [A-Z0-9 ]{1,40}-----)?"
)

_ASSIGNMENT = r"""(?ix) (?<![a-z]) (?: pass(?:word|wd|phrase) | pwd | secret | token
        | (?:api|access|secret|private|auth|account|encryption|signing)[_-]?(?:key|token|secret) )
    ["'\]]{0,2} [ \t]{0,4} (?: = | : | => | := ) [ \t]{0,4}
    (?: "([^"\s]{8,200})" | '([^'\s]{8,200})' | `([^`\s]{8,200})` | ([^\s"'`<>(){}\[\],;]{8,200}) )"""
_URL = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s:/@]{1,64}:([^\s/@]{4,128})@[A-Za-z0-9\[]"

_PLACEHOLDER = (
    r"(?i)example|change|your|xxx|\*\*\*|\.\.\.|placeholder|dummy|redacted|replace|insert|todo|<|\$\{|\{\{|%\(|\$\("
    r"|^\$|environ|getenv|^pass(?:word|wd)|^secret|^token|process\.|settings\.|config\.|[a-z]\.[a-z]+\.[a-z]|^(.)\1+$|//"
)


def find_secrets(text: str) -> tuple[SecretMatch, ...]:
    """The secrets written out in a text, in order; of overlapping ones only the first."""
    matches = sorted(_candidates(text), key=lambda match: (match.span.start, -match.span.end))
    matches_once: list[SecretMatch] = []
    for match in matches:
        if not matches_once or match.span.start >= matches_once[-1].span.end:
            matches_once.append(match)
    return tuple(matches_once)


def _candidates(text: str) -> Iterator[SecretMatch]:
    for kind, hints, shape in _SHAPES:
        if any(hint in text for hint in hints):
            for found in re.finditer(_START + shape, text):
                token = found.group()
                if not token.endswith("EXAMPLE") and _entropy(token) >= 3.0:
                    yield SecretMatch(kind, Span(*found.span()))
    if "PRIVATE KEY" in text:
        for found in re.finditer(_PRIVATE_KEY, text):
            yield SecretMatch("private key", Span(*found.span()))
    for found in re.finditer(_ASSIGNMENT, text):
        group = found.lastindex or 0
        if _looks_random(found.group(group), quoted=group < 4):
            yield SecretMatch("password or key", Span(*found.span(group)))
    if "://" in text:
        for found in re.finditer(_URL, text):
            if _looks_random(found.group(1), quoted=True):
                yield SecretMatch("password in a URL", Span(*found.span(1)))


def _looks_random(value: str, *, quoted: bool) -> bool:
    """Whether a value is a secret, not a word, a variable or a placeholder. Unquoted values need more evidence."""
    kinds = (
        any(map(str.islower, value))
        + any(map(str.isupper, value))
        + any(map(str.isdigit, value))
        + (not value.replace("_", "").replace("-", "").isalnum())
    )
    if kinds < 2 or (not any(map(str.isdigit, value)) and (not quoted or kinds < 3)):
        return False
    return _entropy(value) >= (2.75 if quoted else 3.0) and not re.search(_PLACEHOLDER, value)


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values())
