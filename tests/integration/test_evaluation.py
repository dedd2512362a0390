"""`octavo eval` from a folder of files to figures, through the real ingest, store and pipeline."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from octavo.config.schema import Config, Embedding
from octavo.engine.wiring import open_engine
from octavo.errors import InvalidArgument
from octavo.evaluation.beir_dataset import Files, read_dataset
from octavo.evaluation.dataset_evaluation import EvaluateRequest, evaluate, originals, outcomes, request_of
from octavo.evaluation.dataset_from_library import Level, make
from octavo.evaluation.measured_query_run import MEASURES
from octavo.evaluation.report import BEGIN, END
from octavo.evaluation.significance import compare
from octavo.evaluation.stored_results import Results, matching
from octavo.interfaces.cli.main import cli
from octavo.retrieval.pipeline import deeper
from octavo.retrieval.profiles_by_name import PROFILES

HERE = Path(__file__).parent
SYNTHETIC = Files(queries=Path("queries.synthetic.jsonl"), qrels=Path("qrels.synthetic.tsv"))
HASHING = Config(embedding=Embedding(provider="hashing"))

CORPUS: list[dict[str, Any]] = [
    {"_id": "tea", "title": "Green tea", "text": "Green tea is brewed below the boiling point of water."},
    {
        "_id": "moka",
        "title": "",
        "text": "# Moka\n\nThe pot splutters when it is done.",
        "metadata": {"path": "moka.md"},
    },
    {"_id": "bread", "title": "Bread", "text": "A ripe starter floats in water."},
]
QUERIES = [{"_id": "q1", "text": "brewing green tea"}, {"_id": "q2", "text": "moka pot splutters"}]
QRELS = "q1\ttea\t1\nq2\tmoka\t1\n"

CHATS: list[dict[str, Any]] = [
    {"_id": f"{who}/{turn}", "title": "", "text": text, "metadata": {"chat": who}}
    for who in ("ann", "bob")
    for turn, text in enumerate(["Where did you go last summer?", "We went to the sea.", "It rained all week."])
]


def write(folder: Path, corpus: list[dict[str, Any]], queries: list[dict[str, Any]], qrels: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in corpus), "utf-8")
    (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries), "utf-8")
    (folder / "qrels.tsv").write_text(qrels, "utf-8")
    return folder


@pytest.fixture
def drinks(tmp_path: Path) -> Path:
    return write(tmp_path / "drinks", CORPUS, QUERIES, QRELS)


@pytest.fixture
def octavo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Calls the command line with nothing of the caller's own around it."""
    for name in [name for name in os.environ if name.startswith("OCTAVO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OCTAVO_EMBEDDING_PROVIDER", "hashing")
    for name in ("DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(cli, [str(one) for one in arguments])


def test_json_holds_the_promised_figures(octavo: Callable[..., Result], drinks: Path) -> None:
    result = octavo("eval", "run", drinks, "--profile", "lexical_only", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert {name: answer[name] for name in ("dataset", "profile", "queries")} == {
        "dataset": "drinks",
        "profile": "lexical_only",
        "queries": 2,
    }
    assert tuple(answer["metrics"]) == MEASURES
    assert answer["metrics"]["ndcg@10"] == 1.0
    assert answer["metrics"]["mrr@10"] == 1.0


def test_several_profiles_come_in_one_table(octavo: Callable[..., Result], drinks: Path) -> None:
    result = octavo("eval", "run", drinks, "-p", "lexical_only", "-p", "hybrid", "--format", "csv")
    header, *rows = result.stdout.splitlines()
    assert header.startswith("dataset,profile,queries,ndcg@10")
    assert [row.split(",")[1] for row in rows] == ["lexical_only", "hybrid"]


def test_the_default_profile_is_the_configured_one(octavo: Callable[..., Result], drinks: Path) -> None:
    assert json.loads(octavo("eval", "run", drinks, "--json").stdout)["profile"] == Config().retrieval.profile


def test_a_second_run_reuses_the_library_of_the_same_corpus_and_recipe(drinks: Path, tmp_path: Path) -> None:
    cache = tmp_path / "kept"
    request = EvaluateRequest(drinks, ("hybrid",))
    first = evaluate(HASHING, request, cache)
    written = first.library.stat().st_mtime_ns
    second = evaluate(HASHING, request, cache)
    assert second.library == first.library
    assert second.library.stat().st_mtime_ns == written
    assert second.runs[0].rankings == first.runs[0].rankings
    assert second.recipe == first.recipe


def test_another_corpus_or_other_chunk_sizes_get_a_library_of_their_own(drinks: Path, tmp_path: Path) -> None:
    cache = tmp_path / "kept"
    first = evaluate(HASHING, EvaluateRequest(drinks, ("hybrid",)), cache)
    smaller = replace(HASHING, chunking=replace(HASHING.chunking, overlap_tokens=5))
    assert evaluate(smaller, EvaluateRequest(drinks, ("hybrid",)), cache).library != first.library
    other = write(tmp_path / "more" / "drinks", CORPUS[:2], QUERIES, QRELS)
    assert evaluate(HASHING, EvaluateRequest(other, ("hybrid",)), cache).library != first.library


def test_the_splits_of_a_data_set_share_a_library(drinks: Path, tmp_path: Path) -> None:
    (drinks / "qrels.train.tsv").write_text("q2\tmoka\t1\n", "utf-8")
    train = EvaluateRequest(drinks, ("hybrid",), Files(qrels=Path("qrels.train.tsv")))
    test = EvaluateRequest(drinks, ("hybrid",))
    assert evaluate(HASHING, train, tmp_path).library == evaluate(HASHING, test, tmp_path).library


def test_a_library_started_from_another_recipe_answers_as_one_built_anew(drinks: Path, tmp_path: Path) -> None:
    request = EvaluateRequest(drinks, ("hybrid", "dense_only", "lexical_only"))
    smaller = replace(HASHING, chunking=replace(HASHING.chunking, overlap_tokens=5))
    evaluate(HASHING, request, tmp_path / "kept")
    taken_over = evaluate(smaller, request, tmp_path / "kept")
    anew = evaluate(smaller, request, tmp_path / "fresh")
    assert [run.rankings for run in taken_over.runs] == [run.rankings for run in anew.runs]


def test_rebuilding_gives_the_same_answer(drinks: Path, tmp_path: Path) -> None:
    first = evaluate(HASHING, EvaluateRequest(drinks, ("hybrid",)), tmp_path / "kept")
    again = evaluate(HASHING, EvaluateRequest(drinks, ("hybrid",), rebuild=True), tmp_path / "kept")
    assert again.runs[0].rankings == first.runs[0].rankings


def test_scope_confines_each_query_to_its_own_group(tmp_path: Path) -> None:
    queries = [{"_id": f"{who}?", "text": "the sea", "metadata": {"chat": who}} for who in ("ann", "bob")]
    chats = write(tmp_path / "chats", CHATS, queries, "ann?\tann/1\t1\nbob?\tbob/1\t1\n")
    scoped = evaluate(HASHING, EvaluateRequest(chats, ("hybrid",), scope="chat"), tmp_path / "kept")
    for question, ranking in scoped.runs[0].rankings.items():
        who = question.removesuffix("?")
        assert {one.document for one in ranking} == {f"{who}/{turn}" for turn in range(3)}
        assert ranking[0].document == f"{who}/1"
    assert scoped.runs[0].metrics["mrr@10"] == 1.0
    free = evaluate(HASHING, EvaluateRequest(chats, ("hybrid",)), tmp_path / "kept")
    assert len(free.runs[0].rankings["ann?"]) == 6


def test_a_scope_nobody_has_is_an_error(drinks: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="document tea has no metadata field chat"):
        evaluate(HASHING, EvaluateRequest(drinks, ("hybrid",), scope="chat"), tmp_path)


def test_a_long_document_is_chunked_and_stands_once_where_its_best_chunk_stands(tmp_path: Path) -> None:
    filler = "\n\n".join(f"## Part {number}\n\n" + "nothing of interest here at all " * 60 for number in range(12))
    corpus = [
        {"_id": "long", "title": "", "text": f"# Long\n\n{filler}\n\n## Last\n\nzebra crossing rules\n"},
        {"_id": "short", "title": "", "text": "A zebra lives in Africa with other animals of the steppe."},
    ]
    for record in corpus:
        record["metadata"] = {"path": f"{record['_id']}.md"}  # type: ignore[assignment]
    folder = write(tmp_path / "zebras", corpus, [{"_id": "q", "text": "zebra crossing rules"}], "q\tlong\t1\n")
    run = evaluate(HASHING, EvaluateRequest(folder, ("lexical_only",)), tmp_path / "kept").runs[0]
    assert [one.document for one in run.rankings["q"]] == ["long", "short"]


def test_a_hundred_documents_come_out_where_the_profile_recalls_fewer(tmp_path: Path) -> None:
    # Each document gives many chunks that match, so a hundred chunks are far fewer documents.
    section = "apples and pears in the orchard " * 40
    text = "\n\n".join(f"## Part {number}\n\n{section}" for number in range(8))
    corpus = [{"_id": f"d{number}", "title": "", "text": text, "metadata": {"path": "a.md"}} for number in range(105)]
    folder = write(tmp_path / "orchard", corpus, [{"_id": "q", "text": "apples"}], "q\td3\t1\n")
    request = EvaluateRequest(folder, ("lexical_only",), timed_queries=0)
    ranking = evaluate(HASHING, request, tmp_path / "kept").runs[0].rankings["q"]
    assert len(ranking) >= 100
    assert len({one.document for one in ranking}) == len(ranking)


def test_deeper_recall_changes_nothing_else_of_a_profile() -> None:
    hybrid = PROFILES["hybrid"]
    deep = deeper(hybrid, 4)
    assert [stage.name for stage in deep.recall] == [stage.name for stage in hybrid.recall]
    assert (deep.fuse, deep.refine, deep.expand) == (hybrid.fuse, hybrid.refine, hybrid.expand)
    assert deep != hybrid


def test_run_files_baselines_and_comparisons(octavo: Callable[..., Result], drinks: Path, tmp_path: Path) -> None:
    assert octavo("eval", "save-baseline").exit_code == 1  # nothing measured yet
    assert octavo("eval", "run", drinks, "-p", "lexical_only", "--run-file", tmp_path / "a.run").exit_code == 0
    columns = (tmp_path / "a.run").read_text("utf-8").splitlines()[0].split()
    assert [columns[place] for place in (0, 1, 2, 3, 5)] == ["q1", "Q0", "tea", "1", "lexical_only"]
    assert octavo("eval", "save-baseline", "--name", "words").exit_code == 0
    listed = json.loads(octavo("eval", "list-baselines", "--json").stdout)
    assert [one["name"] for one in listed["baselines"]] == ["words"]
    compared = octavo("eval", "run", drinks, "-p", "dense_only", "--compare", "words", "--json")
    answer = json.loads(compared.stdout)
    assert answer["compared_with"] == {"baseline": "words", "profile": "lexical_only"}
    assert {change["measure"] for change in answer["changes"]} >= {"ndcg@10", "recall@100", "map"}
    missing = octavo("eval", "run", drinks, "--compare", "nothing")
    assert missing.exit_code == 1
    assert "there is no baseline nothing" in missing.stderr


def test_the_report_is_a_page_and_markdown(octavo: Callable[..., Result], drinks: Path, tmp_path: Path) -> None:
    assert octavo("eval", "report").exit_code == 1  # nothing measured yet
    octavo("eval", "run", drinks, "-p", "lexical_only", "-p", "hybrid")
    assert octavo("eval", "report", "--out", tmp_path / "report.html").exit_code == 0
    assert "<svg" in (tmp_path / "report.html").read_text("utf-8")
    assert octavo("eval", "report", "--out", tmp_path / "report.md").exit_code == 0
    shown = octavo("eval", "report", "--format", "md").stdout
    assert (tmp_path / "report.md").read_text("utf-8") == shown
    assert shown.startswith("# Retrieval quality")


def test_the_table_is_written_between_the_marks_of_a_readme(
    octavo: Callable[..., Result], drinks: Path, tmp_path: Path
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("no marks\n", "utf-8")
    sets = (drinks, "almanac:measure=recall@10")
    arguments = ("eval", "table", *sets, "--profiles", "lexical_only,hybrid", "--write", readme)
    assert octavo(*arguments).exit_code == 2
    readme.write_text(f"# Top\n{BEGIN}\n{END}\n", "utf-8")
    result = octavo(*arguments, "--markdown")
    assert result.exit_code == 0, result.output
    written = readme.read_text("utf-8")
    assert result.stdout.strip() in written
    assert "| drinks | 2 | nDCG@10 |" in written
    assert "| almanac | 74 | Recall@10 |" in written


def test_a_data_set_says_its_own_scope_files_and_measure_after_a_colon() -> None:
    hybrid = ("hybrid",)
    assert request_of("a/b:scope=chat,qrels=dev.tsv,measure=map", hybrid, "ndcg@10") == (
        EvaluateRequest(Path("a/b"), hybrid, Files(qrels=Path("dev.tsv")), "chat"),
        "map",
    )
    assert request_of("C:/data", hybrid, "ndcg@10") == (EvaluateRequest(Path("C:/data"), hybrid), "ndcg@10")
    for wrong in ("a:colour=red", "a:measure=beauty"):
        with pytest.raises(InvalidArgument):
            request_of(wrong, hybrid, "ndcg@10")


def test_a_data_set_made_from_a_library_can_be_run(octavo: Callable[..., Result], tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "tea.md").write_text(
        "# Brewing green tea\n\nThe leaves want patience and a warm cup, nothing more.\n\n"
        "## Water temperature\n\nLet the kettle cool for five minutes before pouring it over the leaves.\n",
        "utf-8",
    )
    library = ("--library", tmp_path / "library.db")
    for arguments in (("init",), ("add", notes, "--name", "notes"), ("index",)):
        result = octavo(*arguments, *library)
        assert result.exit_code == 0, result.output
    made = octavo("eval", "make", "--out", tmp_path / "mine", *library, "--json")
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["queries"] == 4
    run = octavo("eval", "run", tmp_path / "mine", "--json")
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["metrics"]["recall@10"] == 1.0
    assert octavo("eval", "make", "--out", tmp_path / "mine", *library).exit_code == 2


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("qrels.tsv", None, "has no qrels.tsv or qrels/test.tsv"),
        ("qrels.tsv", "", "holds no judgement"),
        ("corpus.jsonl", '{"_id": "a", "text": "x"}\n{"_id": "a", "text": "y"}\n', "corpus.jsonl:2: the id 'a'"),
        ("queries.jsonl", "{\n", "queries.jsonl:1: not JSON"),
    ],
)
def test_a_malformed_data_set_is_refused_in_one_line(
    octavo: Callable[..., Result], drinks: Path, name: str, content: str | None, said: str
) -> None:
    (drinks / name).unlink()
    if content is not None:
        (drinks / name).write_text(content, "utf-8")
    result = octavo("eval", "run", drinks)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_what_is_odd_is_counted_on_stderr_and_the_answer_stays_clean(
    octavo: Callable[..., Result], drinks: Path
) -> None:
    (drinks / "qrels.tsv").write_text(QRELS + "q1\tgone\t1\n", "utf-8")
    result = octavo("eval", "run", drinks, "--json")
    assert result.exit_code == 0
    assert "warning: 1 judgement for documents that are not in the corpus" in result.stderr
    json.loads(result.stdout)


def test_an_unknown_profile_fails_before_anything_is_indexed(octavo: Callable[..., Result], drinks: Path) -> None:
    result = octavo("eval", "run", drinks, "-p", "nonsense")
    assert result.exit_code == 2
    assert "there is no profile nonsense" in result.stderr


def test_the_shipped_synthetic_queries_are_what_making_them_again_gives(tmp_path: Path) -> None:
    shipped = read_dataset(Path("almanac"), SYNTHETIC)
    assert shipped.name == "almanac/synthetic"
    assert shipped.warnings == ()
    assert made_from_the_almanac(tmp_path) == (
        {question.id: (question.text, question.metadata) for question in shipped.questions},
        shipped.qrels,
    )


def made_from_the_almanac(tmp_path: Path) -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    library = evaluate(HASHING, EvaluateRequest(Path("almanac"), ("hybrid",), timed_queries=0), tmp_path).library
    engine = open_engine(replace(HASHING, library=library, project="evaluation"))
    try:
        records = {record.metadata.get("path", record.id): record for record in read_dataset(Path("almanac")).records}
        found = [replace(one, id=records[one.uri].id, prose=bool(records[one.uri].title)) for one in originals(engine)]
    finally:
        engine.close()
    made = make(found, level=Level.DOCUMENT, limit=100, seed=1)
    qrels: dict[str, dict[str, int]] = {}
    for question, document, relevance in made.qrels:
        qrels.setdefault(question, {})[document] = relevance
    return {query["_id"]: (query["text"], query["metadata"]) for query in made.queries}, qrels


def test_the_almanac_is_answered_no_worse_than_the_committed_baseline(tmp_path: Path) -> None:
    """The bundled model and every profile of the baseline, over both shipped sets of questions."""
    committed = Results(tmp_path, HERE.parent / "golden" / "evaluation").baseline("almanac")
    losses = []
    for files in (Files(), SYNTHETIC):
        request = EvaluateRequest(Path("almanac"), ("lexical_only", "dense_only", "hybrid"), files, timed_queries=0)
        for one in outcomes(evaluate(Config(), request, tmp_path)):
            for found in compare(matching(committed, "almanac", one).scores, one.scores):
                if found.significant and found.change < 0:
                    losses.append(f"{one.dataset} {one.profile} {found.measure} {found.before:.3f} → {found.after:.3f}")
    assert losses == []


def test_figures_of_a_profile_whose_model_did_not_answer_come_with_a_warning(drinks: Path, tmp_path: Path) -> None:
    found = evaluate(HASHING, EvaluateRequest(drinks, ("hybrid", "hyde_hybrid")), tmp_path / "cache")
    (warning,) = found.warnings
    assert warning.startswith("hyde_hybrid: 3 of its answers did without hyde: no language model is configured")
