"""Subtitles (SRT, WebVTT): what is said, marked with the time at which it is."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import takewhile

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile, Unit

CONVERTER = "subtitles-2"
_CUE = regex(r"^\s*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}\s+-->\s", re.MULTILINE)
_VOICE = regex(r"<v(?:\.[\w.]+)?\s+([^>]+)>")
_TAG = regex(r"<[^>\n]*>|\{\\[^}\n]*\}")
_LONGEST = 20  # seconds that are cited by one time
_TOGETHER = 240  # characters: a few lines of speech have one time


def read_subtitles(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    cues = list(_CUE.finditer(text))
    if not cues:
        return RefusedFile("damaged: it holds no times")
    builder = TextBuilder(Unit.TIME)
    gathered: list[str] = []
    began = 0
    with suppress(TooLong):
        for at, cue in enumerate(cues):
            end = cues[at + 1].start() if at + 1 < len(cues) else len(text)
            second = 3600 * int(cue[1] or 0) + 60 * int(cue[2]) + int(cue[3])
            if gathered and second - began > _LONGEST:
                builder.paragraph("\n".join(gathered))
                gathered = []
            if not gathered:
                began = second
                builder.mark(f"{int(cue[1] or 0):02}:{int(cue[2]):02}:{cue[3]}")
            spoken = _spoken(text[cue.start() : end])
            if spoken:
                gathered.append(spoken)
            if sum(map(len, gathered)) >= _TOGETHER:
                builder.paragraph("\n".join(gathered))
                gathered = []
        builder.paragraph("\n".join(gathered))
    return builder.converted(CONVERTER)


def _spoken(cue: str) -> str:
    """The lines after the times; what numbers the next cue stands after a blank line."""
    lines = takewhile(str.strip, cue.strip("\n").split("\n")[1:])
    spoken = _VOICE.sub(r"\1: ", " ".join(lines))
    return one_line(_TAG.sub("", spoken))
