"""Text in pictures, read by tesseract where it is installed: scanned pages, and images with what is told about them."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections import defaultdict

from octavo.converting.converter_process import ConversionSettings
from octavo.converting.image_facts import caption
from octavo.converting.pdf_layout import Line
from octavo.converting.text_builder import TextBuilder, TooLong
from octavo.model.converted_file import Converted, RefusedFile

CONVERTER = "ocr-1"
MISSING = "tesseract is not installed"
_LEAST_CONFIDENCE = 30.0  # of 100: below it, what was recognised is noise
_WORD = "5"  # the level of a word in tesseract's table


def read_image(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """What is written in a picture, below what its file says about it."""
    told = caption(data)
    lines = recognised(data, settings) if settings.ocr and has_tesseract() else []
    if not told and not lines:
        return RefusedFile("an image without text" if has_tesseract() else f"an image: {MISSING}")
    builder = TextBuilder()
    try:
        if told:
            builder.paragraph(told)
        if lines:
            builder.paragraph("\n".join(line.text for line in lines))
    except TooLong:
        pass
    return builder.converted(CONVERTER, "", {"ocr": True} if lines else {})


def has_tesseract() -> bool:
    return shutil.which("tesseract") is not None


def recognised(picture: bytes, settings: ConversionSettings) -> list[Line]:
    """The lines of a picture in the order in which they are read. Raises `RuntimeError` with what tesseract says."""
    command = ["tesseract", "stdin", "stdout", "-l", settings.ocr_languages or "eng", "tsv"]
    done = subprocess.run(command, input=picture, capture_output=True, check=False)
    if done.returncode:
        messages = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RuntimeError(f"tesseract: {messages[-1] if messages else f'exit code {done.returncode}'}")
    return _lines(done.stdout.decode("utf-8", "replace"))


def _lines(table: str) -> list[Line]:
    """From tesseract's table, whose places count from the top. It tells no size of type by which to know a heading."""
    words: dict[tuple[str, ...], list[str]] = defaultdict(list)
    places: dict[tuple[str, ...], tuple[float, float]] = {}
    for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row.get("level") != _WORD or not text or float(row["conf"]) < _LEAST_CONFIDENCE:
            continue
        line = (row["block_num"], row["par_num"], row["line_num"])
        words[line].append(text)
        places.setdefault(line, (float(row["left"]), -float(row["top"]) - float(row["height"])))
    return [Line(" ".join(texts), *places[line]) for line, texts in words.items()]
