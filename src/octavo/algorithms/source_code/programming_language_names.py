"""One name for each programming language, whatever people call it in a fence or a filter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

_ALSO = {
    "python": "py py3 python3 python2 pycon ipython sage",
    "javascript": "js jsx mjs cjs node nodejs ecmascript",
    "typescript": "ts mts cts",
    "shell": "sh bash zsh ksh console shell-session shellsession terminal bats posix",
    "csharp": "cs c#",
    "cpp": "c++ cxx cc hpp",
    "go": "golang",
    "rust": "rs",
    "ruby": "rb irb",
    "kotlin": "kt kts",
    "yaml": "yml",
    "html": "htm xhtml vue svelte",
    "less": "scss sass",
    "dockerfile": "docker containerfile",
    "make": "makefile",
    "powershell": "ps1 pwsh ps",
    "objc": "objective-c objectivec",
    "fsharp": "f# fs",
    "visualbasic": "vb vbnet vb.net",
    "sql": "postgres postgresql mysql sqlite plsql psql",
    "haskell": "hs",
    "elixir": "ex exs",
    "erlang": "erl",
    "clojure": "clj",
    "hcl": "tf terraform",
    "proto": "protobuf",
    "json": "jsonc json5",
    "ini": "cfg conf properties",
    "lisp": "elisp emacs-lisp common-lisp scheme racket",
    "tcl": "tk",
    "perl": "pl",
    "julia": "jl",
}
_MEANT: Mapping[str, str] = {other: name for name, others in _ALSO.items() for other in others.split()}
_NONE = frozenset({"text", "txt", "plain", "plaintext", "none", "output", "nohighlight", "math", "mermaid", "diff"})


@lru_cache(maxsize=512)
def language_named(name: str | None) -> str | None:
    """The language that a name stands for, as documents have it; None where it stands for none.

    >>> [language_named(name) for name in ("Py", "C++", "rust", "text", "")]
    ['python', 'cpp', 'rust', None, None]
    """
    plain = (name or "").strip().lower()[:50]
    if not plain or plain in _NONE:
        return None
    return _MEANT.get(plain, plain)
