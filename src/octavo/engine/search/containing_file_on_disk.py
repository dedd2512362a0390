"""Which file on the disk a document lies in: its own, or a mailbox, a message or an archive that holds it."""

from __future__ import annotations

from pathlib import Path


def containing_file(root: Path, uri: str) -> Path:
    """`mail/in.mbox` for the uri `mail/in.mbox/hello.eml/plan.pdf`; for a plain file, its own path."""
    path = root / uri
    if not path.exists():
        for above in path.parents:
            if above.is_file():
                return above
            if above == root or above.is_dir():
                break
    return path
