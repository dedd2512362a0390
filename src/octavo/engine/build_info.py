"""What this Octavo is built from, and the formats of the files that it writes."""

from __future__ import annotations

from importlib.resources import files

from octavo.model.snapshot import FORMAT as SNAPSHOT
from octavo.stores.shared.schema_versions import newest_schema
from octavo.version import __version__


def commit_here() -> str | None:
    """None in a checkout, whose code may differ from any commit."""
    file = files("octavo") / "commit.txt"
    return file.read_text("utf-8").strip() if file.is_file() else None


def formats_here() -> dict[str, int]:
    """A library or snapshot of a higher number was written by a newer Octavo, and is refused by name."""
    return {"library": newest_schema("octavo.stores.sqlite"), "snapshot": SNAPSHOT}


def version_line() -> str:
    formats = ", ".join(f"{name} {number}" for name, number in formats_here().items())
    return f"octavo {__version__} ({commit_here() or 'from a checkout'}; {formats})"
