"""The encoding a file says it is written in, wherever it says so."""

from __future__ import annotations

import codecs
import re

from octavo.lazy_regex import regex

_META = regex(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML = regex(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})", re.IGNORECASE)
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Browsers read these names as the larger sets that authors mean.
_MEANT = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "ascii": "cp1252"}
_MEANT |= {"gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "shift-jis": "cp932", "euc-kr": "cp949"}
_LATE = 1 << 20  # bytes in which a declaration is looked for: some pages have long scripts before it


def declared_text(data: bytes) -> str | None:
    """The text of a page in the encoding it declares; None if it declares none, or is not written in it."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    match = _XML.match(data) or _META.search(data, 0, _LATE)
    if match is None:
        return None
    name = match[1].decode("ascii").casefold()
    name = _MEANT.get(name, name)
    try:
        codecs.lookup(name)
        if name.startswith(("utf-16", "utf-32")):
            return None  # a page whose declaration can be read as ASCII is not written in it
        text = data.decode(name, "replace")
    except (LookupError, UnicodeError):
        return None
    return text if text.count("\ufffd") * 200 <= len(text) else None
