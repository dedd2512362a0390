"""Names of files that hold secrets, such as `id_ed25519`: these files are never opened for a library.

False alarms are avoided: prose about secrets and source code called `secrets.py` are read.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from octavo.lazy_regex import regex

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
    ("a file of API keys", rf"api_key(?!.*\.{_CODE}$).*|api-?keys?\.{_DATA}"),
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
_COPY = regex(r"(?:~|\.(?:bak|backup|old|orig|save|swp|sw[a-p]|tmp|copy)\d*|~\d+~?)+$", re.IGNORECASE)
_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store"})
_OF_SECRETS = frozenset({"secret", "secrets", "credentials", "passwords"})
_IN_FOLDER = frozenset({("docker", "config.json"), ("gh", "hosts.yml"), ("gcloud", "access_tokens.db")})
FOLDERS_OF_SECRETS = _FOLDERS.union(folder for folder, _ in _IN_FOLDER)
"""Names, in lower case, of folders in which files may be secret that would not be elsewhere."""


def is_secret_name(path: str) -> str | None:
    """Why a file of this name, or at this path, is assumed to contain secrets; None for any other."""
    *folders, name = path.split("/")
    if folders:
        if not _FOLDERS.isdisjoint(map(str.lower, folders)):
            return "it may hold secrets: it lies in a folder of keys"
        if (folders[-1].lower(), name.lower()) in _IN_FOLDER:
            return f"it may hold secrets: {folders[-1]}/{name} is a log-in file"
    return _reason(name)


def secret_folder(path: str) -> str | None:
    """Why a new file at this path would be taken for one of secrets, by its folder: what is there already is read, as
    prose about secrets, but nothing is put beside it."""
    if _OF_SECRETS.isdisjoint(name.lower().lstrip(".") for name in path.split("/")[:-1]):
        return None
    return "it may hold secrets: it lies in a folder of secrets"


@cache
def _secret_name() -> re.Pattern[str]:
    return re.compile("|".join(rf"(?:{pattern})\Z()" for _, pattern in _NAMES), re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=4096)
def _reason(name: str) -> str | None:
    match = _secret_name().match(name) or _secret_name().match(_COPY.sub("", name))
    return f"it may hold secrets: named like {_NAMES[match.lastindex - 1][0]}" if match and match.lastindex else None
