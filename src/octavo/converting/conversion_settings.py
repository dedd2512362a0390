"""The settings that converters get: whether OCR runs and archives are unpacked, and how much of each."""

from __future__ import annotations

from octavo.fast_dataclass import Value


class ConversionSettings(Value):
    """What a reader may be told. `ocr` reads pictures of text, at most `ocr_pages` of a document; `archives` unpacks
    archives, at most so many files and bytes of each."""

    ocr: bool = False
    ocr_pages: int = 0
    ocr_languages: str = ""
    archives: bool = False
    archive_files: int = 0
    archive_bytes: int = 0
