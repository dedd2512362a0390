"""Reads a query about code by its form alone: a name, a place, a stack trace, an error message, a regex, code.

getUserById                          a name
Model.save_base()                    a name in another
django/db/models/base.py:804         a place
File "base.py", line 804, in save    a frame of a trace: a place and a name
ValueError: no such field 'x'        a message; its quoted parts and numbers vary
def get_\\w+\\(                        a pattern; its literal parts are searched
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache

from octavo.algorithms.queries.regex_literal_extraction import PartOfName, Pieces, is_pattern, read_pattern
from octavo.algorithms.source_code.stack_traces_and_file_locations import (
    FrameLocation,
    frames,
    message_of,
    places_in,
    raised_in,
)
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex

_LONGEST = 20_000  # characters of a question that are read
_MOST = 24  # names

_IDENTIFIER = r"[A-Za-z_$][\w$]*"
_QUALIFIED = regex(rf"{_IDENTIFIER}(?:(?:\.|::|->|\#|\\){_IDENTIFIER})*+[?!]?")
_JOINT = regex(r"\.|::|->|#|\\")
_SHAPED = regex(
    r"\w_+\w|^_+\w|\w_+$|[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|[a-z][0-9]+[a-z]|\$"  # snake_case, camelCase, HTTPServer, md5sum
)
_DECLARING = regex(
    rf"^(?:(?:pub|public|private|export|async|abstract|static)\s+)*(?:def|class|func|fn|function|struct|interface|trait|enum|type|impl|module|namespace|sub|fun|object|record"
    rf"|protocol|extension|method|symbol|definition of)\s+({_IDENTIFIER})(?![\w$]|\s+[a-z])"
)
_NAMED_THING = (
    rf"(?: the)?(?: function| class| method| type)? `?({_IDENTIFIER}(?:(?:\.|::|->|\#|\\){_IDENTIFIER})*)`?(?:\(\))?"
)
# "where is render defined": what is asked for is a name, however plain a word it is.
_ASKED_WHERE = regex(
    rf"\b(?:where|which file|what file)\b(?: is| are| do we| does)?{_NAMED_THING}(?: is| are)? "
    r"(?:defined|declared|implemented)\b"
)
# "who calls render", "where is render used", "callers of render": what is asked for is what uses a name.
_ASKED_USES = regex(
    rf"\b(?:(?:who|what|which \w+) (?:calls?|uses?|imports?|invokes?)|where do we (?:call|use)"
    rf"|(?:callers|usages|uses|call sites?|references) (?:of|to)){_NAMED_THING}[?.\s]*$"
    rf"|\bwhere (?:is|are|does|do|gets?){_NAMED_THING} (?:(?:get|being) )?(?:called|used|imported|invoked)\b"
)
_TICKED = regex(r"`([^`\n]{1,200})`")
_ALONE = regex(rf"(?:{_IDENTIFIER}(?:(?:\.|::|->|\#|\\){_IDENTIFIER})*[?!]?)(?:\(\))?")
_WORD = regex(r"[A-Za-z][A-Za-z0-9]*")
_PLAIN = regex(r"[\"'(]?[A-Za-z][a-z]*(?:['’-][a-z]+)*[.,:;?!)\"']*")  # a word that is no name
_SENTENCE = 4  # of them
_FEW = 4  # words that may together be one name: "parse query" is parse_query and parseQuery

# No kind of error has a longer name, and without a bound a long word takes time by the square of its length.
_ERROR = regex(
    r"(?:^|\s)(?:[\w.]{0,99}[A-Z]\w{0,99}(?:Error|Exception|Warning|Fault)\b"
    r"|(?:panic|fatal|error(?:\[\w+\])?|Fatal error):\s"
    r"|Traceback\b|FATAL\b|ERROR\b|undefined (?:reference|symbol)|(?:Cannot|cannot|Could not|could not) [a-z]+ \S"
    r"|[Ss]egmentation fault)"
    r"|^[\w.]{0,99}[A-Z]\w{1,99}: \S+(?: \S+){2}"
)
# What differs from one occurrence of a message to the next: quoted values, numbers, addresses, placeholders.
_VARIABLE = regex(
    r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`|\b0x[0-9a-fA-F]+\b|\b\d+(?:\.\d+)*\b|%[sdrif]|\{[^{}\n]{0,40}\}"
    r"|<[^<>\n]{1,80}>"
)
_KIND_OF_ERROR = regex(r"^(?:[\w.]{0,99}[A-Z]\w{0,99}|panic|fatal|(?i:error)(?:\[\w+\])?)\s*:\s+")
_CODE_LINE = regex(
    r"[;{}]\s*$|^\s*[})\]]|\w\(.*\)|\w\($|[=!<>]=|\w\s*(?::|\+|-)?=\s*\S|->|=>|::|&&|\|\|"
    r"|^\s*(?:def|class|func|fn|function|import|from\s+\S+\s+import|#include|return\b.*[\w)\]]$|package|use)\b"
)
_OCCURRENCES = 50  # of a piece in a text that are looked at
_WORDS = regex(r"\w+")
_HUMP = regex(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RUN = 3  # words
_MOST_RUNS = 40


class CodeQueryForm(StrEnum):
    """The form of a question."""

    WORDS = "words"
    NAME = "name"
    PLACE = "place"
    TRACE = "trace"
    MESSAGE = "message"
    PATTERN = "pattern"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier, outermost part first. `sure` if it was written as one, not made up from words."""

    parts: tuple[str, ...]
    sure: bool = True


@dataclass(frozen=True, slots=True)
class CodeQuery:
    """`words` are searched by word and by meaning.

    A text that is meant has the strings of one of the `pieces` in order on one line, and the words of each of the
    `runs` side by side. `parts` are the known parts of names in a pattern. A `sentence` only mentions its names.
    `uses`: it asks who calls them. Of a trace `functions` are those at the places, and `raised` the kind of error.
    """

    asked: CodeQueryForm
    words: str
    names: tuple[Name, ...] = ()
    places: tuple[FrameLocation, ...] = ()
    pieces: tuple[Pieces, ...] = ()
    runs: tuple[str, ...] = ()
    parts: tuple[PartOfName, ...] = ()
    sentence: bool = False
    uses: bool = False
    functions: tuple[str, ...] = ()
    raised: Name | None = None


@lru_cache(maxsize=64)
def read_code_query(text: str) -> CodeQuery:
    """Total, and linear in the length of the text."""
    text = text[:_LONGEST].strip()
    traced = frames(text)
    if traced:
        message = message_of(text)
        named = tuple(dict.fromkeys(Name(_parts(frame.name)) for frame in traced if frame.name))[:_MOST]
        words = " ".join([message, *(name.parts[-1] for name in named[:4])]).strip() or text
        places = tuple(frame.place for frame in traced)
        functions = tuple((_parts(frame.name) or ("",))[-1] for frame in traced)
        raised = Name(parts) if (parts := _parts(raised_in(text))) else None
        return CodeQuery(
            CodeQueryForm.TRACE, words, named, places, runs=_runs(message), functions=functions, raised=raised
        )
    places = places_in(text)
    if is_pattern(text):
        pattern = read_pattern(text)
        literal = " ".join(dict.fromkeys(piece for pieces in pattern.pieces for piece in pieces))
        return CodeQuery(
            CodeQueryForm.PATTERN,
            literal or text,
            _names(pattern.whole),
            places,
            pieces=pattern.pieces,
            parts=pattern.parts,
        )
    if _ERROR.search(text):
        bare = _KIND_OF_ERROR.sub("", text)
        return CodeQuery(CodeQueryForm.MESSAGE, text, _names(bare), places, runs=_runs(text))
    if _ALONE.fullmatch(text):
        return CodeQuery(CodeQueryForm.NAME, text, _spelled((Name(_parts(text.removesuffix("()"))),)), places)
    names = _names(text)
    if places and len(text.split()) == 1:
        return CodeQuery(CodeQueryForm.PLACE, text, names, places)
    if names:
        uses = _ASKED_USES.search(text) is not None
        if not uses and any(mark in text for mark in "(){}=;"):
            return CodeQuery(CodeQueryForm.CODE, text, names, places, runs=_runs(text))
        return CodeQuery(CodeQueryForm.NAME, text, names, places, sentence=_is_sentence(text), uses=uses)
    return CodeQuery(CodeQueryForm.PLACE if places else CodeQueryForm.WORDS, text, _joined(text), places)


def is_code(text: str) -> bool:
    """Whether a piece of text is written in a programming language, by its marks: most lines of prose have none.

    >>> is_code("for name in names:\\n    print(name)")
    True
    >>> is_code("Open the shutter (slowly) before the mirror has cooled down.")
    False
    """
    lines = [line for line in text[:_LONGEST].splitlines() if line.strip()]
    marked = sum(_CODE_LINE.search(line) is not None for line in lines)
    return marked * 3 > len(lines)


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in _JOINT.split(name) if part)


def _names(text: str) -> tuple[Name, ...]:
    names = dict.fromkeys(_named(text))
    return _spelled(tuple(Name(parts) for parts in names)[:_MOST])


def _spelled(names: tuple[Name, ...]) -> tuple[Name, ...]:
    """Each name as written, then as other languages write it: `saveBase` may be called `save_base`."""
    made = (Name((*name.parts[:-1], other), sure=False) for name in names for other in _respelled(name.parts[-1]))
    return (*names, *made)


def _respelled(name: str) -> Iterator[str]:
    words = [word.lower() for word in _HUMP.split(name) if word]
    if len(words) > 1:
        yield _camel(words) if "_" in name else "_".join(words)


def _camel(words: list[str]) -> str:
    return words[0] + "".join(word.capitalize() for word in words[1:])


def _named(text: str) -> Iterator[tuple[str, ...]]:
    for ticked in _TICKED.finditer(text):
        bare = ticked[1].strip().removesuffix("()")
        if _QUALIFIED.fullmatch(bare):
            yield _parts(bare)
    for asked in (*_ASKED_WHERE.finditer(text), *_ASKED_USES.finditer(text)):
        yield _parts(asked[asked.lastindex or 1])
    for declared in _DECLARING.finditer(text):
        yield (declared[1],)
    for match in _QUALIFIED.finditer(text):
        parts = _parts(match[0])
        called = text.startswith("(", match.end())
        # "e.g." and "the end.Then" are no names; `os.path` is.
        joined = len(parts) > 1 and all(len(part) > 1 for part in parts)
        if called or joined or _SHAPED.search(parts[-1]):
            yield parts


def _is_sentence(text: str) -> bool:
    """Whether the query is a sentence that only mentions its names: by its plain words."""
    return sum(_PLAIN.fullmatch(word) is not None for word in text.split()) >= _SENTENCE


def _joined(text: str) -> tuple[Name, ...]:
    """A few plain words as the name they may be: written together with underscores, or in camel case."""
    words = text.split()
    if not 1 < len(words) <= _FEW or not all(_WORD.fullmatch(word) for word in words):
        return ()
    lower = [word.lower() for word in words]
    return Name(("_".join(lower),), sure=False), Name((_camel(lower),), sure=False)


def _runs(text: str) -> tuple[str, ...]:
    """Runs of three words without the message's values: the code that raises it has them too.

    A quotation of three words or more is text, not a value.
    """
    line = max((line_said.strip() for line_said in text.split("\n")), key=len, default="")
    stretches = _VARIABLE.split(_KIND_OF_ERROR.sub("", line))
    stretches += [match[0] for match in _VARIABLE.finditer(line) if len(_WORDS.findall(match[0])) >= _RUN]
    runs: dict[str, None] = {}
    for stretch in stretches:
        words = _WORDS.findall(stretch.lower())
        for at in range(max(1, len(words) - _RUN + 1) if len(words) > 1 else 0):
            runs[" ".join(words[at : at + _RUN])] = None
    return tuple(runs)[:_MOST_RUNS]


def share_of_runs(runs: tuple[str, ...], text: str) -> float:
    """The share of the runs in a text.

    >>> share_of_runs(("no such field", "such field here"), 'raise ValueError(f"No such field: {name}")')
    0.5
    """
    if not runs:
        return 0.0
    spaced_words = f" {' '.join(_WORDS.findall(text.lower()))} "
    return sum(f" {run} " in spaced_words for run in runs) / len(runs)


def share_in_order(pieces: tuple[str, ...], text: str) -> float:
    """1 if one line has all pieces in order; else half the share of their characters that the text has in order.

    >>> share_in_order(("def get_", "("), "x = 1\\ndef get_user(self):\\n")
    1.0
    >>> share_in_order(("no such", "field"), "no such luck")
    0.2916666666666667
    """
    total = sum(map(len, pieces))
    if not total:
        return 0.0
    longest = max(pieces, key=len)
    at = text.find(longest)
    for _ in range(_OCCURRENCES):
        if at < 0:
            break
        end = text.find("\n", at)
        if _in_order(pieces, text, text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end) == total:
            return 1.0
        at = text.find(longest, at + 1)
    return 0.5 * _in_order(pieces, text, 0, len(text)) / total


def _in_order(pieces: tuple[str, ...], text: str, start: int, end: int) -> int:
    """The characters of those pieces that are found in order between two places; one that is absent is passed over."""
    characters = 0
    for piece in pieces:
        position = text.find(piece, start, end)
        if position >= 0:
            characters, start = characters + len(piece), position + len(piece)
    return characters
