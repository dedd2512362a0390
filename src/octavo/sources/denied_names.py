"""The built-in list: names of files and folders that nobody searches, hidden, generated, packed or binary."""

from __future__ import annotations

from octavo.model.file_formats import ENVIRONMENT_TEMPLATES, ending

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
        ".octavo",
    }
)

# Words that also name ordinary folders (an API reference has pages called `target` and `vendor`): they are build output
# or third-party code only next to a file of the tool that fills them.
DENIED_NEXT_TO: dict[str, frozenset[str]] = {
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
_SILENT = frozenset({".lock", ".map", ".tmp", ".o", ".obj", ".pyc", ".pyd", ".pyo", ".class"})
DENIED_ENDINGS = (".min.js", ".min.mjs", ".min.cjs", ".min.css", ".min.html", ".bundle.js", "-bundle.js", "~")
DENIED_NAMES = frozenset(
    {"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "packages.lock.json", "go.sum", "thumbs.db"}
)


def is_denied_file(name: str) -> bool:
    lower = name.lower()
    return (
        _is_hidden(lower)
        or ending(lower) in DENIED_EXTENSIONS
        or lower in DENIED_NAMES
        or lower.endswith(DENIED_ENDINGS)
    )


def is_silently_denied(name: str) -> bool:
    """A name that nobody misses: hidden, locked, temporary, generated."""
    lower = name.lower()
    return _is_hidden(lower) or ending(lower) in _SILENT or lower in DENIED_NAMES or lower.endswith(DENIED_ENDINGS)


def _is_hidden(name: str) -> bool:
    return name[0] == "." and name not in ENVIRONMENT_TEMPLATES
