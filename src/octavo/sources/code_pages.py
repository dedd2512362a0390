"""Code pages of before Unicode: which one a file is in, where it is not a Western one."""

from __future__ import annotations

from importlib import import_module

CODE_PAGES = {
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    "gb18030": "GB 18030",
    "big5": "Big5",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
    "cp1253": "Windows-1253",
    "cp1256": "Windows-1256",
}
"""The encodings that are recognised, by what people call them."""

_WESTERN = "cp1252"
_LOOKED_AT = 65_536  # bytes
_FEWEST = 8  # bytes beyond ASCII: of fewer nothing can be said
_SHARE = 0.3  # of the letters: in Western languages far fewer have an accent
_MESS = 0.3  # how odd a reading may look


def code_page(raw: bytes) -> str | None:
    """The encoding of a text that is not in UTF-8; None for a Western one and where nothing fits."""
    head = raw[:_LOOKED_AT]
    high = sum(byte > 127 for byte in head)
    letters = sum(byte > 127 or chr(byte).isalpha() for byte in head)
    if high < _FEWEST or high < _SHARE * letters:
        return None
    # Most libraries are in UTF-8, and never need it.
    from_bytes = import_module("charset_normalizer").from_bytes
    if len(raw) > _LOOKED_AT:
        head = head[: head.rfind(b"\n") + 1] or head  # lest a character of two bytes be cut
    guess = from_bytes(head, cp_isolation=[*CODE_PAGES, _WESTERN], threshold=_MESS).best()
    return str(guess.encoding) if guess is not None and guess.encoding in CODE_PAGES else None
