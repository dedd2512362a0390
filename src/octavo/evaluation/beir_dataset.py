"""Reads a BEIR folder: a corpus, queries and judgements, refusing what cannot be measured and counting what is odd."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from octavo.errors import InvalidArgument, SourceError, system_message
from octavo.fast_dataclass import Value, replace
from octavo.path_resolution_and_private_folders import real_path

SHIPPED = Path(__file__).parent / "sets"
_CORPUS = ("corpus.jsonl",)
_QUERIES = ("queries.jsonl",)
_QRELS = ("qrels.tsv", "qrels/test.tsv")
_LAYOUT = "a data set is a folder with corpus.jsonl, queries.jsonl and qrels.tsv or qrels/test.tsv; each may end in .gz"


class CorpusRecord(Value):
    """One document of the corpus, as written."""

    id: str
    title: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Question(Value):
    """A query with an id, so that its judgements can be found."""

    id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Files(Value):
    """Which files of a folder to read; unset ones are found by their usual names."""

    corpus: Path | None = None
    queries: Path | None = None
    qrels: Path | None = None


class Dataset(Value):
    """A corpus with the questions that have judgements in it.

    `qrels` maps a question to its judged documents and their relevance; every question has a relevant one.
    `corpus` is the name without what tells the judgements apart: splits of one set share it. `corpus_digest` names the
    corpus's content, `digest` that of the corpus with its questions and judgements.
    """

    name: str
    corpus: str
    records: tuple[CorpusRecord, ...]
    questions: tuple[Question, ...]
    qrels: Mapping[str, Mapping[str, int]]
    corpus_digest: str
    digest: str
    warnings: tuple[str, ...] = ()

    def sample(self, count: int | None) -> Dataset:
        """`count` questions spread evenly over the file: the first ones often come from one source."""
        total = len(self.questions)
        if count is None or count >= total:
            return self
        if count < 1:
            raise InvalidArgument(f"the number of queries must be at least 1, not {count}")
        kept = tuple(self.questions[index * total // count] for index in range(count))
        qrels = {question.id: self.qrels[question.id] for question in kept}
        return replace(self, questions=kept, qrels=qrels, digest=f"{self.digest}:{count}")


def read_dataset(folder: Path, files: Files | None = None) -> Dataset:
    """Reads everything, or raises `InvalidArgument` naming the file and line that cannot be used.

    A bare name that is no folder may be that of a set shipped with Octavo.
    """
    files = files or Files()
    if not folder.is_dir():
        if folder.parent != Path() or not (SHIPPED / folder.name).is_dir():
            known = ", ".join(sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir()))
            raise SourceError(f"{folder} is not a folder", hint=f"{_LAYOUT}; shipped with Octavo: {known}")
        folder = SHIPPED / folder.name
    corpus_file = _locate(folder, files.corpus, _CORPUS)
    queries_file = _locate(folder, files.queries, _QUERIES)
    qrels_file = _locate(folder, files.qrels, _QRELS)
    corpus, queries, judged = _Text(corpus_file), _Text(queries_file), _Text(qrels_file)
    warnings: list[str] = []
    records = _records(corpus, warnings)
    questions = _questions(queries, warnings)
    qrels = _judgements(judged, {record.id for record in records}, {question.id for question in questions}, warnings)
    digest = hashlib.sha256(f"{corpus.digest}{queries.digest}{judged.digest}".encode()).hexdigest()
    return Dataset(
        name=_name(folder, _variant(corpus_file.name, "corpus"), _variant(qrels_file.name, "qrels")),
        corpus=_name(folder, _variant(corpus_file.name, "corpus")),
        records=records,
        questions=tuple(question for question in questions if question.id in qrels),
        qrels=qrels,
        corpus_digest=corpus.digest,
        digest=digest,
        warnings=tuple(warnings),
    )


class _Text:
    """A file's decoded lines, and the digest of its content whether or not it was compressed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            raw = path.read_bytes()
            content = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
            self._text = content.decode("utf-8-sig")
        except (OSError, EOFError, zlib.error) as error:
            raise SourceError(f"{path} cannot be read: {system_message(error)}") from error
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise InvalidArgument(f"{path}:{line}: not UTF-8 text", hint="convert the file to UTF-8") from error
        self.digest = hashlib.sha256(content).hexdigest()

    def lines(self) -> Iterator[tuple[int, str]]:
        """Lines that hold something, numbered from 1. Only a newline ends a line: JSON may hold U+2028."""
        for number, line in enumerate(self._text.split("\n"), 1):
            if line.strip():
                yield number, line

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in self.lines():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise self.wrong(number, f"not JSON ({error})") from error
            if not isinstance(value, dict):
                raise self.wrong(number, "not a JSON object")
            yield number, value

    def wrong(self, number: int, what: str) -> InvalidArgument:
        return InvalidArgument(f"{self.path}:{number}: {what}", details={"file": str(self.path), "line": number})


def _locate(folder: Path, chosen: Path | None, usual: tuple[str, ...]) -> Path:
    """A chosen file counts from where the caller stands, else from the folder; compressed or not."""
    names = [chosen, folder / chosen] if chosen else [folder / name for name in usual]
    for name in names:
        for path in (name, name.with_name(f"{name.name}.gz")):
            if path.is_file():
                return path
    tried = str(chosen) if chosen else " or ".join(usual)
    raise InvalidArgument(f"{folder} has no {tried}", hint=_LAYOUT)


def _name(folder: Path, *variants: str) -> str:
    """The folder's name, with what tells the files from the usual ones: `locomo/sessions`, `scifact/train`."""
    return "/".join(dict.fromkeys((real_path(folder).name, *filter(None, variants))))


def _variant(name: str, usual: str) -> str:
    stem = name.removesuffix(".gz").rsplit(".", 1)[0]
    return "" if stem in (usual, "test") else stem.removeprefix(f"{usual}.")


def _records(file: _Text, warnings: list[str]) -> tuple[CorpusRecord, ...]:
    seen: dict[str, int] = {}
    records = []
    titled = empty = 0
    for number, value in file.objects():
        identity = _identity(file, number, value, seen)
        title, text = _string(file, number, value, "title"), _string(file, number, value, "text")
        if not text.strip():
            if not title.strip():
                empty += 1
                continue
            titled += 1
            text = title
        records.append(CorpusRecord(identity, title, text, _metadata(file, number, value)))
    if not records:
        raise InvalidArgument(f"{file.path} holds no document with a text", hint=_LAYOUT)
    if titled:
        warnings.append(f"{_count(titled, 'document')} without text: the title stands in for it")
    if empty:
        warnings.append(f"{_count(empty, 'document')} with neither text nor title left out")
    return tuple(records)


def _questions(file: _Text, warnings: list[str]) -> tuple[Question, ...]:
    seen: dict[str, int] = {}
    questions = []
    empty = 0
    for number, value in file.objects():
        identity = _identity(file, number, value, seen)
        text = _string(file, number, value, "text")
        if text.strip():
            questions.append(Question(identity, text, _metadata(file, number, value)))
        else:
            empty += 1
    if not questions:
        raise InvalidArgument(f"{file.path} holds no query with a text", hint=_LAYOUT)
    if empty:
        warnings.append(f"{_count(empty, 'query', 'queries')} without text left out")
    return tuple(questions)


def _identity(file: _Text, number: int, value: Mapping[str, Any], seen: dict[str, int]) -> str:
    identity = value.get("_id")
    if isinstance(identity, int) and not isinstance(identity, bool):
        identity = str(identity)
    if not isinstance(identity, str) or not identity.strip():
        raise file.wrong(number, "no _id")
    if identity in seen:
        raise file.wrong(number, f"the id {identity!r} was already used on line {seen[identity]}")
    seen[identity] = number
    return identity


def _string(file: _Text, number: int, value: Mapping[str, Any], name: str) -> str:
    text = value.get(name)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise file.wrong(number, f"{name} is not a string")
    return text


def _metadata(file: _Text, number: int, value: Mapping[str, Any]) -> dict[str, Any]:
    metadata = value.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict):
        raise file.wrong(number, "metadata is not an object")
    return metadata


def _judgements(
    file: _Text, documents: set[str], questions: set[str], warnings: list[str]
) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    unknown_documents = unknown_questions = repeated = rows = 0
    for number, line in file.lines():
        row = _row(file, number, line)
        if row is None:
            continue
        rows += 1
        question, document, relevance = row
        if document not in documents:
            unknown_documents += 1
        elif question not in questions:
            unknown_questions += 1
        else:
            judged = qrels.setdefault(question, {})
            repeated += document in judged
            judged[document] = max(relevance, judged.get(document, relevance))
    if not rows:
        raise InvalidArgument(f"{file.path} holds no judgement", hint="each line is: query-id TAB corpus-id TAB score")
    hopeless = [question for question, judged in qrels.items() if max(judged.values()) < 1]
    for question in hopeless:
        del qrels[question]
    counted = (
        (unknown_documents, "for documents that are not in the corpus"),
        (unknown_questions, "for queries that are not there"),
        (repeated, "given twice: the higher relevance counts"),
    )
    warnings += [f"{_count(count, 'judgement')} {what} ({file.path.name})" for count, what in counted if count]
    if hopeless:
        warnings.append(f"{_count(len(hopeless), 'query', 'queries')} without a relevant document left out")
    if not qrels:
        raise InvalidArgument(
            f"no judgement of {file.path} names a query and a relevant document of this data set",
            hint="the corpus, the queries and the judgements may belong to different sets",
        )
    return qrels


def _row(file: _Text, number: int, line: str) -> tuple[str, str, int] | None:
    """`query-id TAB corpus-id TAB score`, or TREC's four columns; None for the header."""
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) < 3:
        cells = line.split()
    if len(cells) == 4:
        cells = [cells[0], cells[2], cells[3]]
    if len(cells) != 3 or not cells[0] or not cells[1]:
        raise file.wrong(number, "not a judgement: query-id TAB corpus-id TAB score")
    try:
        return cells[0], cells[1], int(float(cells[2]))
    except (ValueError, OverflowError):
        if number == 1:
            return None
        raise file.wrong(number, f"the score {cells[2]!r} is not a number") from None


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
