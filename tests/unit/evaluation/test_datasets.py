"""BEIR folders: read whole, refused with a line number, or read with a counted warning."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import InvalidArgument, OctavoError, SourceError
from octavo.evaluation.beir_dataset import CorpusRecord, Files, Question, read_dataset

CORPUS = [
    {"_id": "d1", "title": "Tea", "text": "Green tea is not oxidised."},
    {"_id": "d2", "title": "", "text": "Coffee beans are roasted.", "metadata": {"path": "notes/coffee.md"}},
]
QUERIES = [{"_id": "q1", "text": "which tea"}, {"_id": "q2", "text": "roasting", "metadata": {"by": "me"}}]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\n"


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def folder(
    at: Path,
    corpus: str = lines(CORPUS),
    queries: str = lines(QUERIES),
    qrels: str = QRELS,
) -> Path:
    at.mkdir(exist_ok=True)
    (at / "corpus.jsonl").write_text(corpus, "utf-8")
    (at / "queries.jsonl").write_text(queries, "utf-8")
    (at / "qrels.tsv").write_text(qrels, "utf-8")
    return at


def test_a_folder_is_read_with_its_titles_metadata_and_judgements(tmp_path: Path) -> None:
    dataset = read_dataset(folder(tmp_path / "drinks"))
    assert dataset.name == "drinks"
    assert dataset.records == (
        CorpusRecord("d1", "Tea", "Green tea is not oxidised."),
        CorpusRecord("d2", "", "Coffee beans are roasted.", {"path": "notes/coffee.md"}),
    )
    assert dataset.questions == (Question("q1", "which tea"), Question("q2", "roasting", {"by": "me"}))
    assert dataset.qrels == {"q1": {"d1": 1}, "q2": {"d2": 2}}
    assert dataset.warnings == ()


def test_compressed_files_and_the_qrels_folder_give_the_same_data_set(tmp_path: Path) -> None:
    plain = folder(tmp_path / "drinks")
    packed = tmp_path / "packed" / "drinks"
    (packed / "qrels").mkdir(parents=True)
    for name, target in (("corpus.jsonl", "corpus.jsonl.gz"), ("queries.jsonl", "queries.jsonl.gz")):
        (packed / target).write_bytes(gzip.compress((plain / name).read_bytes()))
    (packed / "qrels" / "test.tsv").write_bytes((plain / "qrels.tsv").read_bytes())
    assert read_dataset(packed) == read_dataset(plain)


def test_a_chosen_file_may_lie_in_the_folder_or_elsewhere_and_shows_in_the_name(tmp_path: Path) -> None:
    drinks = folder(tmp_path / "drinks")
    (drinks / "qrels.train.tsv").write_text("q1\td2\t1\n", "utf-8")
    elsewhere = tmp_path / "mine.tsv.gz"
    elsewhere.write_bytes(gzip.compress(b"q2\td1\t1\n"))
    inside = read_dataset(drinks, Files(qrels=Path("qrels.train.tsv")))
    outside = read_dataset(drinks, Files(qrels=tmp_path / "mine.tsv"))
    assert (inside.name, inside.qrels) == ("drinks/train", {"q1": {"d2": 1}})
    assert (outside.name, outside.qrels) == ("drinks/mine", {"q2": {"d1": 1}})
    assert inside.corpus == outside.corpus == "drinks"
    assert inside.corpus_digest == outside.corpus_digest
    assert inside.digest != outside.digest


def test_judgements_without_a_header_and_in_four_columns_are_understood(tmp_path: Path) -> None:
    assert read_dataset(folder(tmp_path / "a", qrels="q1\td1\t1\nq2\td2\t1.0\n")).qrels["q2"] == {"d2": 1}
    assert read_dataset(folder(tmp_path / "b", qrels="q1 0 d1 1\nq2 0 d2 3\n")).qrels["q2"] == {"d2": 3}


def test_questions_without_judgements_are_not_asked(tmp_path: Path) -> None:
    dataset = read_dataset(folder(tmp_path / "drinks", qrels="q2\td2\t1\n"))
    assert [question.id for question in dataset.questions] == ["q2"]
    assert dataset.warnings == ()


def test_a_sample_is_spread_over_the_questions_and_is_not_comparable_with_the_whole(tmp_path: Path) -> None:
    queries = lines([{"_id": f"q{number}", "text": "tea"} for number in range(10)])
    qrels = "".join(f"q{number}\td1\t1\n" for number in range(10))
    dataset = read_dataset(folder(tmp_path / "drinks", queries=queries, qrels=qrels))
    sample = dataset.sample(3)
    assert [question.id for question in sample.questions] == ["q0", "q3", "q6"]
    assert sample.qrels.keys() == {"q0", "q3", "q6"}
    assert sample.digest != dataset.digest
    assert dataset.sample(10) is dataset
    with pytest.raises(InvalidArgument):
        dataset.sample(0)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"corpus": lines(CORPUS) + "{broken\n"}, "corpus.jsonl:3: not JSON"),
        ({"corpus": lines(CORPUS) + "[1]\n"}, "corpus.jsonl:3: not a JSON object"),
        ({"corpus": lines([*CORPUS, CORPUS[0]])}, "corpus.jsonl:3: the id 'd1' was already used on line 1"),
        ({"corpus": '{"title": "x", "text": "y"}\n'}, "corpus.jsonl:1: no _id"),
        ({"corpus": '{"_id": "d1", "text": ["y"]}\n'}, "corpus.jsonl:1: text is not a string"),
        ({"corpus": '{"_id": "d1", "text": "y", "metadata": 3}\n'}, "corpus.jsonl:1: metadata is not an object"),
        ({"corpus": ""}, "holds no document with a text"),
        ({"queries": lines([QUERIES[0], QUERIES[0]])}, "queries.jsonl:2: the id 'q1' was already used on line 1"),
        ({"queries": "\n"}, "holds no query with a text"),
        ({"qrels": "query-id\tcorpus-id\tscore\n"}, "holds no judgement"),
        ({"qrels": ""}, "holds no judgement"),
        ({"qrels": QRELS + "q1\td1\n"}, "qrels.tsv:4: not a judgement"),
        ({"qrels": QRELS + "q1\td1\tgood\n"}, "qrels.tsv:4: the score 'good' is not a number"),
        ({"qrels": "q1\tother\t1\n"}, "names a query and a relevant document of this data set"),
        ({"qrels": "q1\td1\t0\n"}, "names a query and a relevant document of this data set"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_its_place(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_dataset(folder(tmp_path / "drinks", **changed))
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"corpus": lines([*CORPUS, {"_id": "d3", "title": "Milk", "text": " "}])}, "1 document without text"),
        ({"corpus": lines([*CORPUS, {"_id": "d3"}, {"_id": "d4"}])}, "2 documents with neither text nor title"),
        ({"queries": lines([*QUERIES, {"_id": "q3", "text": ""}])}, "1 query without text left out"),
        ({"qrels": QRELS + "q1\tgone\t1\nq2\tgone\t1\n"}, "2 judgements for documents that are not in the corpus"),
        ({"qrels": QRELS + "gone\td1\t1\n"}, "1 judgement for queries that are not there"),
        ({"qrels": QRELS + "q2\td2\t1\n"}, "1 judgement given twice"),
        ({"qrels": "q1\td1\t1\nq2\td2\t0\n"}, "1 query without a relevant document left out"),
    ],
)
def test_what_is_odd_but_harmless_is_counted(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    warnings = read_dataset(folder(tmp_path / "drinks", **changed)).warnings
    assert len(warnings) == 1
    assert warnings[0].startswith(said)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    drinks = folder(tmp_path / "drinks")
    (drinks / name).unlink()
    with pytest.raises(InvalidArgument, match=name):
        read_dataset(drinks)


def test_a_missing_folder_a_torn_archive_and_foreign_bytes_are_errors_not_tracebacks(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        read_dataset(tmp_path / "nowhere")
    torn = folder(tmp_path / "torn")
    (torn / "corpus.jsonl").write_bytes(gzip.compress(lines(CORPUS).encode())[:-9])
    with pytest.raises(OctavoError, match="cannot be read"):
        read_dataset(torn)
    foreign = folder(tmp_path / "foreign")
    (foreign / "queries.jsonl").write_bytes(b'{"_id": "q1", "text": "caf"}\n{"_id": "q2", "text": "\xe9"}\n')
    with pytest.raises(InvalidArgument, match=r"queries.jsonl:2: not UTF-8"):
        read_dataset(foreign)


def test_a_line_separator_inside_a_text_does_not_end_the_record(tmp_path: Path) -> None:
    corpus = '{"_id": 7, "text": "one\u2028two\u0085three"}\r\n{"_id": "d1", "text": "x"}\r\n'
    dataset = read_dataset(folder(tmp_path / "drinks", corpus=corpus, qrels="q1\t7\t1\n"))
    assert dataset.records[0] == CorpusRecord("7", "", "one\u2028two\u0085three")
