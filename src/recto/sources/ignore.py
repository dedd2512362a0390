"""What a collection leaves out, decided name by name on the way down its folders.

From the strongest: the collection's `ignore` globs, `.rectoignore` (the innermost first), hidden names and the
built-in list, `.gitignore` (the innermost first), and last the `include` globs, outside of which nothing is taken.
A hidden, built-in or git-ignored name is let in all the same when an `include` glob spells it out (`build/**`), and
then only what that glob matches; a `!` line addressed to Recto does the same (`!build/` in a `.rectoignore`). Wildcards
do not spell: `**/*.md` does not open `node_modules`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from recto.sources.globs import Pattern, Patterns, from_globs, parse

GITIGNORE = ".gitignore"
RECTOIGNORE = ".rectoignore"

DENIED_FOLDERS = frozenset(
    {
        "node_modules",
        "bower_components",
        "jspm_packages",
        "site-packages",
        "__pycache__",
        "__pypackages__",
        "venv",
        "build",
        "dist",
        "htmlcov",
        "DerivedData",
        "Pods",
        ".git",
        ".hg",
        ".svn",
        ".obsidian",
        ".trash",
        ".venv",
        ".tox",
        ".nox",
        ".next",
        ".nuxt",
        ".cache",
        ".recto",
    }
)

# Words that also name honest folders (an API reference has pages called `target` and `vendor`): they are output
# or somebody else's code only beside the file of the tool that fills them.
DENIED_BESIDE: dict[str, frozenset[str]] = {
    "target": frozenset({"Cargo.toml", "pom.xml", "build.sbt", "project.clj"}),
    "out": frozenset({"package.json", "tsconfig.json", "build.gradle", "build.gradle.kts", "CMakeLists.txt"}),
    "vendor": frozenset({"go.mod", "composer.json", "Gemfile", "Cargo.toml"}),
    "coverage": frozenset({"package.json", "pyproject.toml", "setup.py", "Gemfile"}),
    "env": frozenset({"pyproject.toml", "setup.py", "requirements.txt"}),
    "bin": frozenset({"obj", "Cargo.toml", "build.gradle", "pom.xml"}),
    "obj": frozenset({"bin"}),
}

DENIED_EXTENSIONS = frozenset(
    {
        *(
            ".7z",
            ".bz2",
            ".deb",
            ".dmg",
            ".gz",
            ".img",
            ".iso",
            ".jar",
            ".rar",
            ".rpm",
            ".tar",
            ".tgz",
            ".war",
            ".whl",
            ".xz",
            ".zip",
            ".zst",
        ),
        *(
            ".aac",
            ".avi",
            ".avif",
            ".bmp",
            ".flac",
            ".gif",
            ".heic",
            ".ico",
            ".jpeg",
            ".jpg",
            ".m4a",
            ".m4v",
            ".mkv",
            ".mov",
            ".mp3",
            ".mp4",
            ".mpeg",
            ".mpg",
            ".ogg",
            ".png",
            ".psd",
            ".tif",
            ".tiff",
            ".wav",
            ".webm",
            ".webp",
            ".wmv",
        ),
        *(".eot", ".otf", ".ttf", ".woff", ".woff2"),
        *(
            ".a",
            ".bin",
            ".class",
            ".dll",
            ".dylib",
            ".exe",
            ".lib",
            ".o",
            ".obj",
            ".pyc",
            ".pyd",
            ".pyo",
            ".so",
            ".wasm",
        ),
        *(".db", ".npy", ".npz", ".onnx", ".parquet", ".pickle", ".pkl", ".pt", ".safetensors", ".sqlite", ".sqlite3"),
        *(".lock", ".map", ".tmp"),
    }
)
DENIED_ENDINGS = (".min.js", ".min.mjs", ".min.cjs", ".min.css", ".min.html", ".bundle.js", "-bundle.js", "~")
DENIED_NAMES = frozenset(
    {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "packages.lock.json", "go.sum", "thumbs.db"}
)


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """What one collection takes in. `extensions` are lower case with their dot; "" stands for names without one."""

    extensions: frozenset[str]
    max_bytes: int
    include: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _IgnoreFile:
    depth: int  # how many bytes of a path lead to the folder the file lies in
    patterns: Patterns


@dataclass(frozen=True, slots=True)
class Folder:
    """The rules as they stand inside one folder. `prefix` is its path with a trailing slash, "" for the root.

    `whole` says that everything not ignored is taken: there are no include globs, or one matched a folder above.
    """

    rules: IgnoreRules
    prefix: str
    ignore: Patterns
    include: Patterns
    whole: bool
    recto: tuple[_IgnoreFile, ...] = ()
    git: tuple[_IgnoreFile, ...] = ()

    def with_ignore_files(self, gitignore: bytes, rectoignore: bytes) -> Folder:
        depth = len(_bytes(self.prefix))
        recto = (_IgnoreFile(depth, parse(rectoignore)), *self.recto) if rectoignore else self.recto
        git = (_IgnoreFile(depth, parse(gitignore)), *self.git) if gitignore else self.git
        return replace(self, recto=recto, git=git)

    def enter(self, name: str, siblings: Collection[str]) -> Folder | None:
        """The rules inside the sub-folder `name`, or None when it is left out."""
        markers = DENIED_BESIDE.get(name)
        denied = name[0] == "." or name in DENIED_FOLDERS or (markers is not None and not markers.isdisjoint(siblings))
        include = self._judge(name, True, denied)
        if include is None:
            return None
        opened = include is not self.include
        path = self.prefix + name
        whole = (self.whole and not opened) or _includes(include, path, name, True)
        if not whole and not any(line.may_match_below(path) for line in include):
            return None
        # What git ignores from above no longer counts in a folder that was asked for by name.
        git = () if opened else self.git
        return Folder(self.rules, path + "/", self.ignore, include, whole, self.recto, git)

    def takes(self, name: str) -> bool:
        """Whether a file of this name, in this folder, is to be indexed."""
        if not self.readable(name):
            return False
        include = self._judge(name, False, _is_denied_file(name))
        if include is None:
            return False
        return (self.whole and include is self.include) or _includes(include, self.prefix + name, name, False)

    def readable(self, name: str) -> bool:
        """Whether some parser reads files of this name at all."""
        return _extension(name) in self.rules.extensions

    def _judge(self, name: str, is_folder: bool, denied: bool) -> Patterns | None:
        """None for a name that is left out; otherwise the include globs that hold for it.

        Those are fewer than the folder's own where the name is let in only because some of them spell it.
        """
        if self.ignore or self.recto or self.git:
            path, last = _bytes(self.prefix + name), _bytes(name)
            said = self.ignore.match(path, last, is_folder) or _first(self.recto, path, last, is_folder)
            if said is None:
                by_git = _first(self.git, path, last, is_folder)
                denied = denied or (by_git is not None and not by_git.negated)
            elif not said.negated:
                return None
            elif said.spells(name):
                denied = False
        if not denied:
            return self.include
        naming = [line for line in self.include if line.spells(name) and not line.negated]
        return Patterns(naming) if naming else None


def top(rules: IgnoreRules) -> Folder:
    """The rules at a collection's root."""
    include = from_globs(rules.include)
    return Folder(rules, "", from_globs(rules.ignore), include, whole=not include)


def _extension(name: str) -> str:
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def _is_denied_file(name: str) -> bool:
    lower = name.lower()
    return (
        lower[0] == "."
        or _extension(lower) in DENIED_EXTENSIONS
        or lower in DENIED_NAMES
        or lower.endswith(DENIED_ENDINGS)
    )


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _first(files: tuple[_IgnoreFile, ...], path: bytes, name: bytes, is_folder: bool) -> Pattern | None:
    for file in files:
        found = file.patterns.match(path[file.depth :], name, is_folder)
        if found is not None:
            return found
    return None


def _includes(include: Patterns, path: str, name: str, is_folder: bool) -> bool:
    found = include.match(_bytes(path), _bytes(name), is_folder)
    return found is not None and not found.negated
