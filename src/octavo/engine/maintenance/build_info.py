"""Reports Octavo's version, commit and file formats, and the Python, platform and packages it runs on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files

from octavo.algorithms.compiled.library_loading import in_use
from octavo.model.search_snapshot import FORMAT as SNAPSHOT
from octavo.sql_repositories.schema_compatibility import newest_schema
from octavo.version import __version__

_TOLD = ("apsw", "numpy", "onnxruntime", "mcp", "tree-sitter", "pypdfium2", "psycopg")


def commit_here() -> str | None:
    """None in a checkout, whose code may differ from any commit."""
    file = files("octavo") / "commit.txt"
    return file.read_text("utf-8").strip() if file.is_file() else None


def formats_here() -> dict[str, int]:
    """A library or snapshot of a higher number was written by a newer Octavo, and is refused by name."""
    return {"library": newest_schema("octavo.stores.sqlite"), "snapshot": SNAPSHOT}


def version_line() -> str:
    return f"octavo {__version__} ({commit_here() or 'from a checkout'}; {_formats()}; compiled words {in_use()})"


def installation_report() -> list[str]:
    """What there is to say of a library that does not open."""
    return [
        f"octavo {__version__}, {commit_here() or 'from a checkout'}; formats: {_formats()}; compiled words {in_use()}",
        f"Python {platform.python_version()}, {platform.system()} {platform.release()}, {platform.machine()},"
        f" {os.cpu_count()} processors",
        f"packages: {', '.join(f'{name} {_version_of(name)}' for name in _TOLD)}",
    ]


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _formats() -> str:
    return ", ".join(f"{name} {number}" for name, number in formats_here().items())
