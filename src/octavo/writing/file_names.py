"""File names from titles: the same words, without what some system or some link cannot hold."""

from __future__ import annotations

import re
import unicodedata

from octavo.errors import InvalidArgument

# What Windows forbids, what ends a path elsewhere, and what ends the target of a wikilink.
_UNSAFE = re.compile(r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+')
_RESERVED = re.compile(r"(?:CON|PRN|AUX|NUL|COM[0-9\u00b9\u00b2\u00b3]|LPT[0-9\u00b9\u00b2\u00b3])\Z", re.IGNORECASE)
_LONGEST = 200  # bytes: 255 is what most systems take, and a draft's name must fit beside it


def safe_name(title: str) -> str:
    """A title as a file's name without its ending, which every system can hold and every link can name."""
    words = _UNSAFE.sub(" ", unicodedata.normalize("NFC", title))
    name = " ".join(words.split()).lstrip(".").rstrip(". ").lstrip()
    name = name.encode()[:_LONGEST].decode("utf-8", "ignore").rstrip(". ")
    if not name:
        raise InvalidArgument(f"no file can be called {title!r}", hint="give a title with letters or digits in it")
    first, dot, rest = name.partition(".")
    return f"{first}_{dot}{rest}" if _RESERVED.match(first.rstrip()) else name


def safe_folder(folder: str) -> str:
    """A relative folder, each part of it a safe name."""
    parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise InvalidArgument(f"the folder {folder!r} leads out of the collection", hint="give a folder inside of it")
    return "/".join(safe_name(part) for part in parts)
