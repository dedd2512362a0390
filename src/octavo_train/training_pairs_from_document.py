"""What one document teaches: pairs of something a person might ask and the passage that answers it.

Nothing is labelled by hand. A heading asks for its section, a title for its lead, a first sentence for what follows, a
docstring for its code, a commit's subject for its change, a link's text for the page it names.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from octavo.chunking.embedding_inputs import context_line, joined
from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.parsing.code.parser import summary


class PairKind(StrEnum):
    HEADING = "heading"
    QUESTION = "question"
    TITLE = "title"
    SENTENCE = "sentence"
    CODE = "code"
    COMMIT = "commit"
    LINK = "link"
    OPENED = "opened"


class TrainingPair(Value):
    """`group` is the document the answer is from: held-back pairs are chosen by it, never within it."""

    query: str
    positive: str
    kind: PairKind
    group: str


class TrainingSection(Value):
    """A section with the text that is its own, heading line left out; in code, a symbol with all of its text."""

    path: tuple[str, ...]
    text: str
    before: str = ""
    """In code, what stands right above: where a comment may be."""


class Material(Value):
    """A document as harvesting sees it. `leads` gives the titles and first lines of documents that links may name."""

    group: str
    kind: Kind
    title: str
    parts: tuple[TrainingSection, ...]
    links: tuple[tuple[str, str], ...] = ()
    """(text shown, title and lead of the target) of links that lead to another document."""


_TEMPLATES = (
    "how does {} work?",
    "what is {}?",
    "where is {} explained?",
    "how do I use {}?",
    "what should I know about {}?",
    "{} explained",
    "help with {}",
)
_GOING_ABOUT = ("how do I go about {}?", "what is the right way of {}?", "problems when {}", "{} step by step")
_DOING = "how do I {}?"
_VERBS = regex(
    r"(?:add|allow|build|call|change|check|choose|clean|configure|connect|control|convert|copy|create"
    r"|customize|debug|define|delete|deploy|develop|disable|display|download|edit|enable|export|extend"
    r"|find|fix|format|generate|get|handle|implement|import|improve|include|initialize|install|integrate"
    r"|launch|limit|list|load|log|make|manage|measure|migrate|mock|monitor|move|open|optimize|override"
    r"|package|parse|pass|prepare|prevent|publish|query|read|reduce|register|remove|rename|render|replace"
    r"|reset|restore|retrieve|return|run|save|scale|schedule|select|send|serve|set|share|show|sort|specify"
    r"|start|stop|store|submit|switch|test|track|train|transform|troubleshoot|tune|understand|update"
    r"|upgrade|upload|use|validate|verify|view|wait|work|wrap|write)"
)
_ASKING = regex(r"(?:how|why|when|what|where|which|who|can|does|do|is|are|should|will)")
_WORD = regex(r"\w+")
_SENTENCE = regex(r"(?<=[.!?。！？])\s+(?=[\"'“(\[]?[A-Z0-9一-鿿])")
_MARKUP = regex(r"`+|\*\*|__|!?\[([^\]]*)\]\([^)]*\)|:\w+:`~?([^`]*)`|<[^>]{1,80}>|\{\{[^}]*\}\}|\{#[^}]*\}")
_SPACE = regex(r"\s+")
_COMMENT_ABOVE = regex(
    r"(?:^[ \t]*(?://[^\n]*|#(?!!)[^\n]*|\*[^\n]*|/\*[^\n]*|--[^\n]*|;[^\n]*)\n)+(?:[ \t]*@[^\n]*\n)*\Z", re.MULTILINE
)
_COMMENT_FIRST = regex(r"\A\s*(/\*.*?\*/\n?|(?:[ \t]*(?://|#(?!!|\[)|--)[^\n]*\n)+)", re.DOTALL)
_DOCSTRING = regex(
    r"\A([^\n]*(?:\n[^\n]*){0,12}?:[^\S\n]*(?:#[^\n]*)?\n\s*)[rRuU]?(\"\"\"|''')(.*?)\2[^\S\n]*\n?", re.DOTALL
)
_TRAILERS = regex(
    r"^(?:signed-off-by|co-authored-by|reviewed-by|change-id|pr-url|reviewed-on|closes|fixes|fixed|refs?|see also|"
    r"run-trybot|trybot-result|auto-submit|commit-queue|lucitryb\w*|piperorigin\S*|acked-by|tested-by|cc)\b.*$",
    re.MULTILINE | re.IGNORECASE,
)
_COMMIT_HEADER = regex(r"\Acommit [0-9a-f]+\n(?:\w+: [^\n]*\n)*\n?")
_BORING = regex(
    r"^(?:merge\b|bump\b|release\b|version\b|v?\d+[\d.]*\S*$|update changelog|auto[- ]?generated|revert\b|wip\b)|"
    r"^build\(deps|^chore",
    re.IGNORECASE,
)
_VAGUE = regex(
    r"(?:overview|introduction|example|examples|usage|notes|note|see|also|references|summary|description"
    r"|parameters|returns|installation|requirements|license|contributing|table|of|contents|prerequisites"
    r"|background|conclusion|next|steps|what|next|further|reading|changelog|other|misc|options|exercises"
    r"|glossary|resources|features)"
)
_LEAST, _MOST = 80, 1_200  # characters of an answer: less says nothing, more is beyond the window
_LONGEST_QUERY = 400
_OWN_HEADING, _ASKED = 0.4, 0.45  # how often an answer keeps the heading that asks for it; how often it is a question


def pairs_of(material: Material) -> Iterator[TrainingPair]:
    if material.kind is Kind.CODE:
        yield from _of_code(material)
    elif material.kind is Kind.COMMIT:
        yield from _of_commit(material)
    elif material.kind is not Kind.CONFIG:
        yield from _of_prose(material)


def passages_of(material: Material) -> Iterator[str]:
    """The document in stretches as long as an answer, as they are embedded: what training must not lose."""
    for part in material.parts:
        context = context_line(material.title, part.path)
        text = part.text.strip()
        for start in range(0, len(text), _MOST):
            piece = text[start : start + _MOST]
            if len(piece) >= _LEAST:
                yield joined(context, piece)


def _of_prose(material: Material) -> Iterator[TrainingPair]:
    group, title = material.group, plain(material.title)
    for number, part in enumerate(material.parts):
        text = part.text.strip()
        words = plain(part.path[-1]) if part.path else ""
        heading = bool(words) and words.casefold() != title.casefold()
        if len(text) < _LEAST:
            continue
        parents = part.path[:-1] if heading else ()
        if heading and _tells(words, title):
            # An answer that still carries its heading is the easy case and the usual one; without it, meaning is all.
            path = part.path if _chance(text, "own") < _OWN_HEADING else parents
            kind = PairKind.QUESTION if words.endswith("?") else PairKind.HEADING
            asked = _asked(words, title, text)
            yield TrainingPair(asked, _answer(material.title, path, text), kind, group)
        if not heading and number == 0 and _tells(title, ""):
            yield TrainingPair(_asked(title, "", text), _answer("", (), text), PairKind.TITLE, group)
        first, rest = _split(text)
        if first and len(rest) >= _LEAST:
            yield TrainingPair(first, _answer(material.title, part.path, rest), PairKind.SENTENCE, group)
    for shown, lead in material.links:
        words = plain(shown)
        if _tells(words, "") and len(lead) >= _LEAST:
            yield TrainingPair(words, lead[:_MOST], PairKind.LINK, group)


def _of_code(material: Material) -> Iterator[TrainingPair]:
    for part in material.parts:
        if not part.path:
            continue
        said, code = documented(part)
        if said and len(code.strip()) >= _LEAST:
            yield TrainingPair(
                said, _answer(material.title, part.path, code.strip("\n")), PairKind.CODE, material.group
            )


def _of_commit(material: Material) -> Iterator[TrainingPair]:
    """The subject asks for what it stands above; a message that tells more asks for the subject with its files."""
    subject = plain(material.title)
    text = _COMMIT_HEADER.sub("", "\n".join(part.text for part in material.parts[:1]))
    if _BORING.search(subject) or len(_WORD.findall(subject)) < 3:
        return
    body, label, rest = text.partition("Changed files:")
    message = _TRAILERS.sub("", body.replace(material.title, "", 1)).strip()
    changed = f"{label}\n{rest.partition('Diff:')[0].strip()}" if label else ""
    if len(message) >= _LEAST:
        yield TrainingPair(subject, _answer("", (), f"{message[:900]}\n\n{changed}"), PairKind.COMMIT, material.group)
        asked = message if _chance(message, "whole") < 0.5 else _first(message)
        if len(asked) >= 40 and changed:
            answer = f"{material.title}\n\n{changed}"
            if len(answer) >= _LEAST:
                yield TrainingPair(asked[:_MOST], answer[:_MOST], PairKind.COMMIT, material.group)
    elif len(changed) >= _LEAST:
        yield TrainingPair(subject, _answer("", (), changed), PairKind.COMMIT, material.group)


def documented(part: TrainingSection) -> tuple[str, str]:
    """What a symbol's docstring or comment says in its first paragraph, and the code without it."""
    if inside := _DOCSTRING.match(part.text):
        said = summary(f'"""{inside[3]}"""')
        return _query(said), inside[1].rstrip() + "\n" + part.text[inside.end() :]
    if first := _COMMENT_FIRST.match(part.text):
        return _query(summary(first[0])), part.text[first.end() :]
    if above := _COMMENT_ABOVE.search(part.before):
        return _query(summary(above[0])), part.text
    return "", part.text


def plain(text: str) -> str:
    """Without markup, on one line."""
    return _SPACE.sub(" ", _MARKUP.sub(lambda match: match[1] or match[2] or "", text)).strip(" #*_¶\t")


def _query(said: str) -> str:
    words = _WORD.findall(said)
    return plain(said)[:_LONGEST_QUERY] if len(words) >= 3 else ""


def _answer(title: str, path: Sequence[str], text: str) -> str:
    return joined(context_line(title, tuple(path)), text)[:_MOST]


def _tells(words: str, title: str) -> bool:
    """Whether the words name something by themselves, or with the title."""
    said = [word for word in _WORD.findall(words.casefold()) if not _VAGUE.fullmatch(word) and not word.isdigit()]
    return bool(said) and (len(_WORD.findall(words)) >= 2 or len(_WORD.findall(title)) >= 1) and len(words) <= 200


def _asked(words: str, title: str, salt: str) -> str:
    """A heading as somebody would ask for it: alone, with the title, or as a question."""
    few = len(_WORD.findall(words)) < 3
    chance = _chance(salt, "asked")
    said = f"{title}: {words}" if title and (few or chance > 0.85) else words
    if words.endswith("?") or chance >= _ASKED:
        return said[:_LONGEST_QUERY]
    first, *rest = words.split(" ", 1)
    lowered = first.lower() if first[1:].islower() or len(first) == 1 else first
    said = " ".join([lowered, *rest]).rstrip(".:")
    if _ASKING.fullmatch(lowered):
        return f"{said}?"
    if title and few:
        said = f"{said} in {title}"
    if _VERBS.fullmatch(lowered):
        return _DOING.format(said)
    forms = _GOING_ABOUT if lowered.endswith("ing") else _TEMPLATES
    return forms[zlib.crc32(said.encode("utf-8", "replace")) % len(forms)].format(said)[:_LONGEST_QUERY]


def _split(text: str) -> tuple[str, str]:
    """The first sentence of a paragraph, if it is one a person might have said, and everything after it."""
    if text[:1] in "#|>-*`:.<{[!" or text[:2] == "..":
        return "", text
    paragraph, _, _ = text.partition("\n\n")
    match = _SENTENCE.search(paragraph)
    end = match.start() if match else len(paragraph)
    first = plain(text[:end])
    if not 5 <= len(_WORD.findall(first)) <= 50 or len(first) > _LONGEST_QUERY:
        return "", text
    return first, text[end:].strip()


def _first(text: str) -> str:
    match = _SENTENCE.search(text)
    return plain(text[: match.start()] if match else text)[:_LONGEST_QUERY]


def _chance(text: str, salt: str) -> float:
    """A number from 0 to 1 that belongs to the text: the same library gives the same pairs."""
    return zlib.crc32(f"{salt}\0{text[:500]}".encode("utf-8", "replace")) / 0xFFFFFFFF


def counted(pairs: Sequence[TrainingPair]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for pair in pairs:
        counts[pair.kind.value] = counts.get(pair.kind.value, 0) + 1
    return dict(sorted(counts.items()))
