"""What is attached to a message that Outlook saved: a compound file with a storage for each attachment."""

from __future__ import annotations

from octavo.converting.archives import member_path, unused
from octavo.converting.compound import Compound, NoCompound
from octavo.model.converted import Member

_ATTACHED = "__attach_version1.0_#"
_DATA = "__substg1.0_37010102"
# The long name, the short one and the one that is shown; each in UTF-16, or in the code page of whoever wrote it.
_NAMES = tuple(f"__substg1.0_{tag}{kind}" for tag in ("3707", "3704", "3001") for kind in ("001F", "001E"))
_MOST_ATTACHMENTS = 1_000


def attachments(data: bytes) -> tuple[Member, ...]:
    """Those that are files; a message within the message is none."""
    try:
        message = Compound(data)
    except NoCompound:
        return ()
    taken: set[str] = set()
    members: list[Member] = []
    for name, storage in message.below().items():
        if not name.startswith(_ATTACHED) or not message.is_storage(storage):
            continue
        held = message.below(storage)
        content = message.read(held[_DATA]) if _DATA in held else b""
        if content and len(members) < _MOST_ATTACHMENTS:
            members.append(Member(unused(_name(message, held) or "attachment", taken), content))
    return tuple(members)


def _name(message: Compound, held: dict[str, int]) -> str:
    for stream in _NAMES:
        if stream in held:
            encoding = "utf-16-le" if stream.endswith("F") else "cp1252"
            told = message.read(held[stream]).decode(encoding, "replace").strip("\0 ")
            if name := member_path(told.replace("/", "-")):
                return name
    return ""
