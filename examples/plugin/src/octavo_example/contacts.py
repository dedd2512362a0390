"""Contacts (vCard): each is a heading with what is known of the person below it."""

from __future__ import annotations

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import TextBuilder
from octavo.model.converted_file import Converted, RefusedFile

_LABELS = {"ORG": "Works at", "TEL": "Telephone", "EMAIL": "Mail", "NOTE": "Note"}


def read_contacts(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """Runs in a process without network and without other files: everything is in `data`."""
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\n ", "").splitlines()
    if "BEGIN:VCARD" not in lines:
        return RefusedFile("damaged: it has no BEGIN:VCARD")
    builder = TextBuilder()
    for line in lines:
        key, _, value = line.partition(":")
        field = key.partition(";")[0].upper()
        if field == "FN":
            builder.heading(1, value)
        elif field in _LABELS:
            builder.paragraph(f"{_LABELS[field]}: {value}")
    return builder.converted("octavo-example-contacts-1", title=name.rpartition("/")[2])
