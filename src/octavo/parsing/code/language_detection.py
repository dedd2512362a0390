"""Language detection: by extension, by file name, or by the first lines of the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from octavo.model.file_formats import ENVIRONMENT_TEMPLATES

_ENDINGS = {
    "python": ".py .pyi .pyw .pyx",
    "javascript": ".js .mjs .cjs .jsx",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "go": ".go",
    "rust": ".rs",
    "java": ".java",
    "c": ".c .h",
    "cpp": ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .inl .cu .cuh",
    "csharp": ".cs .csx",
    "ruby": ".rb .rake .gemspec .podspec",
    "php": ".php .phtml",
    "kotlin": ".kt .kts",
    "swift": ".swift",
    "scala": ".scala .sc",
    "shell": ".sh .bash .zsh .ksh .bats",
    "sql": ".sql .ddl .pgsql .psql",
    "html": ".html .htm .xhtml .vue .svelte",
    "css": ".css",
    "lua": ".lua",
    # These have no grammar: structure comes from blank lines, indentation and common keywords.
    "assembly": ".s .asm",
    "astro": ".astro",
    "awk": ".awk",
    "bicep": ".bicep",
    "clojure": ".clj .cljs .cljc .edn",
    "cmake": ".cmake",
    "crystal": ".cr",
    "d": ".d",
    "dart": ".dart",
    "elixir": ".ex .exs",
    "elm": ".elm",
    "erlang": ".erl .hrl",
    "fish": ".fish",
    "fortran": ".f90 .f95 .f03 .f08 .f",
    "gdscript": ".gd",
    "gomod": ".mod",
    "fsharp": ".fs .fsi .fsx",
    "glsl": ".glsl .vert .frag .hlsl .wgsl .metal",
    "graphql": ".graphql .gql",
    "groovy": ".groovy .gradle",
    "haskell": ".hs .lhs",
    "hcl": ".tf .tfvars .hcl .nomad",
    "jsonnet": ".jsonnet .libsonnet .cue",
    "julia": ".jl",
    "less": ".less .scss .sass",
    "lisp": ".lisp .lsp .el .scm .rkt",
    "make": ".mk .mak",
    "nim": ".nim",
    "nix": ".nix",
    "nushell": ".nu",
    "objc": ".m .mm",
    "ocaml": ".ml .mli",
    "pascal": ".pas .pp",
    "perl": ".pl .pm",
    "powershell": ".ps1 .psm1 .psd1",
    "proto": ".proto .thrift .avdl",
    "r": ".r",
    "solidity": ".sol",
    "tcl": ".tcl",
    "verilog": ".v .sv .svh .vhd .vhdl",
    "vim": ".vim",
    "visualbasic": ".vb .vbs .bas",
    "zig": ".zig",
}

CODE_EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
)
"""Extension → language, extensions in lower case with their dot."""

_NAMES = {
    "dockerfile": "dockerfile containerfile",
    "make": "makefile gnumakefile justfile",
    "cmake": "cmakelists.txt",
    "groovy": "jenkinsfile",
    "ruby": "rakefile gemfile podfile vagrantfile brewfile",
    "python": "build.bazel workspace.bazel sconstruct",
    "shell": ".bashrc .zshrc .profile .bash_profile",
}

CODE_NAMES: Mapping[str, str] = MappingProxyType(
    {name: language for language, names in _NAMES.items() for name in names.split()}
)
"""Complete file name, in lower case → language."""

_CONFIG_ENDINGS = {
    "json": ".json .jsonc .json5 .webmanifest .code-workspace",
    "yaml": ".yaml .yml .cff",
    "toml": ".toml",
    "ini": ".ini .cfg .conf .properties .editorconfig",
    "xml": ".xml .plist .xsd .xsl .xslt .wsdl .csproj .vbproj .fsproj .props .targets .resx",
}

CONFIG_EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {ending: language for language, endings in _CONFIG_ENDINGS.items() for ending in endings.split()}
)
"""Extension → format of configuration and data files."""

_INTERPRETERS = {
    "python": "python pypy",
    "javascript": "node",
    "typescript": "deno bun ts-node",
    "shell": "sh bash zsh ksh dash bats",
    "r": "rscript",
    "tcl": "tclsh",
    "powershell": "pwsh",
    "erlang": "escript",
}
_SAME_NAME = "fish ruby php perl lua awk make groovy julia swift kotlin scala elixir"
_PROGRAMS = {name: language for language, names in _INTERPRETERS.items() for name in names.split()}
_PROGRAMS |= {name: name for name in _SAME_NAME.split()}
_SHEBANG = r"#![ \t]*(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)*)?([A-Za-z][A-Za-z-]*)"

# The first match counts: a Swift function declares its parameter types with a colon, Go without.
_OPENINGS = (
    (
        "python",
        r"(?:@[\w.]+(?:\([^\n]*\))?\n\s*)*(?:async\s+def\s+\w+\s*\(|def\s+\w+\s*\((?:[^\n#]*[:,(])?\s*(?:#[^\n]*)?(?:\n|$)"
        r"|class\s+\w+\s*[(:])",
    ),
    ("ruby", r"def\s+(?:self\.)?[\w\[\]=<>+*/%~!?-]+(?:\s*\([^)\n]*\)|[ \t]+[^\n#]*)?\s*(?:#[^\n]*)?\n"),
    (
        "php",
        r"<\?php\b|(?:(?:public|private|protected|static|final|abstract)\s+)+function\s+&?\w+\s*\("
        r"|function\s+&?\w+\s*\([^)]{0,200}\$\w",
    ),
    (
        "javascript",
        r"(?:export\s+)?(?:default\s+)?(?:async\s+)?function\b\s*\*?\s*\w*\s*\(|(?:const|let|var)\s+\w+\s*="
        r"|[\w.]+\s*=\s*(?:async\s+)?function\b|(?:(?:static|async|get|set)\s+)*[*#]?[\w$]+\s*\([^)\n]*\)\s*\{[ \t]*\n",
    ),
    (
        "swift",
        r"(?:@\w+\s+)*(?:(?:public|private|internal|open|static|override|mutating|final)\s+)*func\s+\w+\s*(?:<[^>\n]*>)?"
        r"\s*\([^)\n]*\w\s*:",
    ),
    ("go", r"func\s+(?:\(\w+\s+\*?[\w\[\], ]+\)\s*)?\w+\s*[\[(]|package\s+\w+\s*\n"),
    (
        "rust",
        r"(?:#\[[^\n]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+|extern\s+(?:\"\w+\"\s+)?)*"
        r"fn\s+\w+\s*[<(]",
    ),
    (
        "kotlin",
        r"(?:@\w+\s+)*(?:(?:public|private|internal|override|suspend|inline|open|operator)\s+)*fun\s+(?:<[^>\n]*>\s*)?"
        r"[\w.<>?]*\w\s*\(",
    ),
    (
        "java",
        r"(?:@\w+(?:\([^\n]*\))?\s+)*(?:(?:public|private|protected|static|final|abstract|synchronized)\s+)+"
        r"(?:[\w<>\[\], .?]+\s+\w+\s*\(|[A-Z]\w*\s*\([^;{}]*\)[^;{}]*\{)",
    ),
    (
        "c",
        r"#include\s*[<\"]|(?:(?:static|inline|extern|const|unsigned)\s+)*(?:void|int|char|long|short|float|double|bool|\w+_t)"
        r"\s[\s*]*\w+\s*\([^;{}]*\)\s*\{",
    ),
)
_LOOKED_AT = 4000  # characters examined
_ABOVE = r"(?:\s*(?:#|//)[^\n]*\n|\s*/\*.{0,2000}?\*/)*\s*"

_CPP_HEADER = (
    r"^[ \t]*+(?:class\s+\w[^;{]{0,200}\{|namespace\b|template\s*<|using\s+\w|public:|private:|protected:)"
    r"|\bstd::|#include\s*<(?:vector|string|memory|map|utility|functional|iostream|cstdint|cstddef)>"
)


def language_of(uri: str, text: str = "") -> str | None:
    """The language of a file, or None if neither its name nor its extension is known.

    A header's language shows only in its text: without C++ in it, `.h` is C. For a text without a telling name,
    the first line decides: it names an interpreter, or declares something.
    """
    name = uri.rsplit("/", 1)[-1].lower()
    language = CODE_NAMES.get(name)
    if language is None:
        dot = name.rfind(".")
        language = CODE_EXTENSIONS.get(name[dot:]) if dot >= 0 else None
    if language is None and text:
        language = _program(text) or guessed_language(text)
    if language == "c" and name.endswith(".h") and re.search(_CPP_HEADER, text, re.MULTILINE):
        return "cpp"
    return language


def _program(text: str) -> str | None:
    """The language of the interpreter in a script's first line."""
    match = re.match(_SHEBANG, text[:200]) if text.startswith("#!") else None
    return _PROGRAMS.get(match[1].lower()) if match else None


@cache
def _openings() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((language, re.compile(_ABOVE + opening, re.DOTALL)) for language, opening in _OPENINGS)


def guessed_language(text: str) -> str | None:
    """The language of a snippet that opens with a declaration; None if it may be prose."""
    head = text[:_LOOKED_AT]
    return next((language for language, opening in _openings() if opening.match(head)), None)


def config_language(uri: str) -> str | None:
    """The format of a configuration file, or None for a file of another kind."""
    name = uri.rsplit("/", 1)[-1].lower()
    if name in ENVIRONMENT_TEMPLATES:
        return "ini"
    dot = name.rfind(".")
    return CONFIG_EXTENSIONS.get(name[dot:]) if dot >= 0 else None


_SOURCE_ROOTS = frozenset({"src", "lib", "python", "source"})
_FOLDER_FILES = {
    "__init__": ("python",),
    "index": ("javascript", "typescript", "tsx", "html", "php"),
    "mod": ("rust", "typescript"),
}


def module_name(uri: str, language: str | None) -> str:
    """The name by which other code imports a file: a dotted path in Python, else the file's stem.

    A file that represents its folder (`index.js`, `mod.rs`) has the folder's name.
    """
    *folders, name = uri.split("/")
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    if language in _FOLDER_FILES.get(stem, ()) and folders:
        stem = folders.pop()
    if language != "python":
        return stem
    while folders and folders[0] in _SOURCE_ROOTS:
        del folders[0]
    return ".".join([*folders, stem])
