"""What a converter makes of bytes: a document, or the reason why there is none."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.sandbox import conversion_worker
from octavo.model.converted_file import Converted, RefusedFile, from_plain, to_plain
from octavo.model.file_formats import format_of
from octavo.model.normalised_text_and_spans import normalise


def converted(name: str, data: bytes) -> Converted:
    """By the reader of the format, in this process; its offsets are checked."""
    outcome = outcome_of(name, data)
    assert isinstance(outcome, Converted), outcome
    text = outcome.text
    assert normalise(text) == text
    assert all(text[heading.start :].startswith("#" * heading.level + " ") for heading in outcome.headings)
    assert all(text[block.start : block.end].strip() for block in outcome.blocks)
    ends = [0, *(block.end for block in outcome.blocks)]
    assert all(end <= block.start for end, block in zip(ends, outcome.blocks, strict=False))
    assert from_plain(json.loads(json.dumps(to_plain(outcome)))) == replace(outcome, members=())
    return outcome


def outcome_of(name: str, data: bytes) -> Converted | RefusedFile:
    known = format_of(name)
    assert known is not None
    if known.needs:
        pytest.importorskip(known.needs, reason=f"{known.needs} is not installed")
    return conversion_worker.outcome_of(known.reader, name, data, ConversionSettings())


def headings(document: Converted) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in document.headings]
