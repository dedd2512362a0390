"""CSV and TSV: rows as tables that repeat the header."""

from __future__ import annotations

import csv
import io
import sys

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.spreadsheet_tables import write_rows
from octavo.converting.text_builder import TextBuilder, TooLong
from octavo.model.converted_file import Converted

CONVERTER = "csv-3"
_DELIMITERS = ",;\t|"
_SAMPLE = 20  # lines


def read_delimited(name: str, data: bytes, settings: ConversionSettings) -> Converted:
    text = data.decode("utf-8", "replace")
    csv.field_size_limit(min(sys.maxsize, 10_000_000))
    builder = TextBuilder()
    try:
        write_rows(builder, csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(name, text)))
    except TooLong:
        pass
    except csv.Error as error:
        builder.warnings.append(f"read up to a row that is not CSV: {error}")
    return builder.converted(CONVERTER)


def _delimiter(name: str, text: str) -> str:
    """The one that divides the first lines into the same number of cells, and into most."""
    if name.lower().endswith((".tsv", ".tab")):
        return "\t"
    lines = [line for line in text[:100_000].split("\n")[:_SAMPLE] if line.strip()]

    def evenly(delimiter: str) -> tuple[int, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter)]
        usual = max(set(counts), key=counts.count) if counts else 1
        return (counts.count(usual) * (usual > 1), usual)

    return max(_DELIMITERS, key=evenly) if lines else ","
