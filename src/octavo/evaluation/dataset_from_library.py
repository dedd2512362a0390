"""A data set from one's own library: headings and titles become questions whose answer is known."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from pathlib import Path
from typing import Any

from octavo.errors import InvalidArgument, NotIndexed, StorageError
from octavo.fast_dataclass import Value, dataclass
from octavo.lazy_regex import regex

_TEMPLATES = (
    "what do my notes say about {}?",
    "where is {} explained?",
    "how does {} work?",
    "tell me about {}",
    "what should I know about {}?",
    "find the part on {}",
)
_GOING_ABOUT = ("how do I go about {}?", "what matters when {}?", "advice on {}", "{} step by step")
_ASKING = frozenset(("how", "why", "when", "what", "where", "which", "who"))
_CODE = regex(r"[(){}\[\]=;<>|]|\b(?:import|def)\b")
_LEAST_WORDS = 2  # one word alone names too many things
_LEAST_TEXT = 40  # characters of a section besides its heading: less is no answer
_RECOGNISED = 200  # characters by which a passage is found again in its section
_WORD = regex(r"\w+")


class Level(StrEnum):
    """What a record of the corpus is, and so what must be found."""

    SECTION = "section"
    DOCUMENT = "document"


class SectionPart(Value):
    """A section with the text that is its own: up to the next heading, its own heading included."""

    anchor: str
    path: tuple[str, ...]
    text: str


class Original(Value):
    """A document of the library, with its sections in order."""

    id: str
    uri: str
    title: str
    text: str
    parts: tuple[SectionPart, ...]
    prose: bool = True
    """Names in code and keys in configuration are no headings: such a document is only there to be confused with."""


class LoggedQuestion(Value):
    """What somebody asked, and the passage they opened: a question whose answer is known, as far as that tells."""

    query: str
    document: str
    """The id of its original."""
    text: str


class DataSetRows(Value):
    """A data set, ready to be written: rows of the three files."""

    corpus: tuple[Mapping[str, Any], ...]
    queries: tuple[Mapping[str, Any], ...]
    qrels: tuple[tuple[str, str, int], ...]


class _Target(Value):
    words: str
    kind: str
    answers: tuple[str, ...]


@dataclass(slots=True)
class _Corpus:
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    targets: list[_Target] = field(default_factory=list)
    parts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    """Of each original the names of its records, with their texts."""

    def answering(self, question: LoggedQuestion) -> tuple[str, ...]:
        """The records that hold the opened passage, or else all of its document."""
        records = self.parts.get(question.document, [])
        begin = question.text.strip()[:_RECOGNISED]
        holding = tuple(name for name, text in records if begin in text)
        return holding[:1] or tuple(dict.fromkeys(name for name, _ in records))


def make(
    originals: Iterable[Original],
    *,
    level: Level = Level.SECTION,
    limit: int = 500,
    seed: int = 0,
    asked: Sequence[LoggedQuestion] = (),
) -> DataSetRows:
    """Each target is asked for twice: in its own words, and inside a question template.

    What people `asked` goes first and counts towards the limit: no template asks as they do. A title or heading that
    stands for several places is no question, since its answer would be a matter of luck.
    Same library, same seed, same bytes.
    """
    if limit < 1:
        raise InvalidArgument(f"the number of queries must be at least 1, not {limit}")
    corpus = _Corpus()
    for original in sorted(originals, key=lambda original: original.id):
        _add(corpus, original, level)
    logged = [
        (_Target(logged_query.query, "opened", answers), logged_query.query)
        for logged_query in asked
        if (answers := corpus.answering(logged_query))
    ][:limit]
    if not corpus.targets and not logged:
        raise NotIndexed(
            "the library has no titles or headings to make questions of",
            hint="index notes or documentation with `octavo add` and `octavo index` first",
        )
    counts = Counter(_folded(target.words) for target in corpus.targets)
    clear = [target for target in corpus.targets if counts[_folded(target.words)] == 1]
    dice = random.Random(seed)  # seeded, and for sampling only
    made = [(target, words) for target in clear for words in (target.words, _question(target.words, dice))]
    if len(made) > limit - len(logged):
        made = [made[place] for place in sorted(dice.sample(range(len(made)), limit - len(logged)))]
    queries, qrels = [], []
    for number, (target, words) in enumerate((*logged, *made), 1):
        name = f"q{number:04}"
        form = "asked" if target.kind == "opened" else "plain" if words == target.words else "question"
        queries.append({"_id": name, "text": words, "metadata": {"target": target.kind, "form": form}})
        qrels += [(name, answer, 1) for answer in target.answers]
    return DataSetRows(tuple(corpus.rows), tuple(queries), tuple(qrels))


def write_dataset(made: DataSetRows, folder: Path) -> None:
    """Writes the three files of a BEIR folder, refusing one that already holds a corpus."""
    if (folder / "corpus.jsonl").exists():
        raise InvalidArgument(f"{folder} already holds a data set", hint="give another folder with --out")
    rows = "".join(f"{query}\t{document}\t{relevance}\n" for query, document, relevance in made.qrels)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "queries.jsonl", _lines(made.queries))
        _write(folder / "qrels.tsv", "query-id\tcorpus-id\tscore\n" + rows)
        _write(folder / "corpus.jsonl", _lines(made.corpus))
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror}") from error


def _add(corpus: _Corpus, original: Original, level: Level) -> None:
    base = {"title": original.title, "metadata": {"path": original.uri}}
    parts = [part for part in original.parts if _substantial(part)]
    if level is Level.SECTION and parts:
        names = _distinct(f"{original.id}#{part.anchor}" if part.anchor else original.id for part in parts)
        corpus.rows += [{"_id": name, **base, "text": part.text} for name, part in zip(names, parts, strict=True)]
    else:
        names = [original.id] * len(parts)
        corpus.rows.append({"_id": original.id, **base, "text": original.text})
    texts = [part.text for part in parts] if level is Level.SECTION and parts else [original.text]
    corpus.parts[original.id] = list(zip(names or [original.id], texts, strict=False))
    if not original.prose:
        return
    everything = tuple(dict.fromkeys(names)) or (original.id,)
    if _askable(original.title):
        corpus.targets.append(_Target(original.title, "title", everything))
    for name, part in zip(names, parts, strict=True):
        heading = part.path[-1] if part.path else ""
        if _askable(heading) and _folded(heading) != _folded(original.title):
            corpus.targets.append(_Target(heading, "heading", (name,)))


def _distinct(names: Iterable[str]) -> list[str]:
    seen: Counter[str] = Counter()
    kept = []
    for name in names:
        seen[name] += 1
        kept.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return kept


def _substantial(part: SectionPart) -> bool:
    heading = part.path[-1] if part.path else ""
    return len(part.text.strip()) - len(heading) >= _LEAST_TEXT


def _askable(words: str) -> bool:
    if _CODE.search(words):
        return False
    return len(_WORD.findall(words)) >= _LEAST_WORDS or any(ord(letter) > 0x2E7F for letter in words)


def _question(words: str, dice: random.Random) -> str:
    """The words as somebody would ask: a heading that asks already only gets its question mark."""
    first, *rest = words.split(" ", 1)
    # A capital that only begins the heading goes; one inside a word, as in API or iPhone, stays.
    lowered = first.lower() if first[1:].islower() or len(first) == 1 else first
    question = " ".join([lowered, *rest])
    if lowered in _ASKING:
        return f"{question}?"
    return dice.choice(_GOING_ABOUT if lowered.endswith("ing") else _TEMPLATES).format(question)


def _folded(words: str) -> str:
    return " ".join(_WORD.findall(words.casefold()))


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
