"""Every format of every answer, empty ones included."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_calls import Octavo, Shell, Vault, write_vault
from library_places import shown

from octavo.interfaces.presenting.formatted_answer_writing import OutputFormat

COMMANDS = (
    ["search", "prune apple trees"],
    ["get", "bread.md"],
    ["list"],
    ["list", "--documents"],
    ["status"],
    ["status", "--problems"],
    ["doctor"],
    ["config", "show", "--origin"],
    ["config", "path"],
    ["config", "get", "retrieval.limit"],
    ["config", "describe"],
    ["config", "describe", "retrieval.limit"],
    ["config", "set", "retrieval.limit", "7"],
    ["version"],
)


# Every format is made from the answer that JSON shows whole: a second engine has no part in the others.
FORMS = [
    form if form is OutputFormat.JSON else pytest.param(form, marks=pytest.mark.one_engine) for form in OutputFormat
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("vault")
def test_every_command_answers_in_every_format(octavo: Octavo, command: list[str], form: OutputFormat) -> None:
    result = octavo(*command, "--format", form.value)
    assert (result.exit_code, result.stderr) == (0, "")
    match form:
        case OutputFormat.JSON:
            assert isinstance(json.loads(result.stdout), dict)
        case OutputFormat.JSONL:
            assert all(isinstance(json.loads(line), dict) for line in result.stdout.splitlines())
        case OutputFormat.CSV:
            header, *rows = csv.reader(io.StringIO(result.stdout))
            assert all(len(row) == len(header) for row in rows)
        case OutputFormat.MD | OutputFormat.TEXT:
            assert result.stdout.endswith("\n")
        case OutputFormat.FILES:
            paths = [
                Path(line.rsplit(":", 1)[0] if line[-1].isdigit() else line) for line in result.stdout.split("\n")[:-1]
            ]
            assert all(path.is_absolute() or path.parts[0] == "postgresql:" for path in paths)


def test_search_json_is_what_is_promised(octavo: Octavo, vault: Vault) -> None:
    answer = json.loads(octavo("search", "--json", "-n", "1", "prune in late winter").stdout)
    assert answer.keys() == {"query", "profile", "took_ms", "hits", "freshness"}
    assert (answer["query"], answer["profile"]) == ("prune in late winter", "hybrid")
    assert 0 <= answer["freshness"].pop("age_seconds") < 3_600
    assert answer["freshness"] == {"documents": 3, "pending": 0, "failed": 0, "full_vectors": 1.0, "queued": 0}
    (hit,) = answer["hits"]
    text = (vault.folder / hit["uri"]).read_text("utf-8")
    assert hit["excerpt"] == text[hit["start"] : hit["end"]]
    assert not hit["excerpt_truncated"]
    assert text.count("\n", 0, hit["start"]) + 1 == hit["start_line"]
    assert hit["heading_path"] == ["Apple trees", "Pruning"]
    assert (hit["rank"], hit["collection"], hit["kind"], hit["title"]) == (1, "notes", "note", "Apple trees")
    assert {step["stage"] for step in hit["steps"]} >= {"lexical", "dense"}


@pytest.mark.usefixtures("vault")
def test_jsonl_is_one_hit_a_line(octavo: Octavo) -> None:
    whole = json.loads(octavo("search", "--json", "apple").stdout)["hits"]
    assert [json.loads(line) for line in octavo("search", "--jsonl", "apple").stdout.splitlines()] == whole


def test_files_are_places_an_editor_takes(octavo: Octavo, vault: Vault) -> None:
    hits = json.loads(octavo("search", "--json", "apple").stdout)["hits"]
    expected = [f"{vault.folder / hit['uri']}:{hit['start_line']}" for hit in hits]
    assert octavo("search", "--format", "files", "apple").stdout.splitlines() == expected


@pytest.mark.usefixtures("vault")
def test_csv_has_a_row_for_each_hit(octavo: Octavo) -> None:
    rows = list(csv.DictReader(io.StringIO(octavo("search", "--format", "csv", "-p", "lexical_only", "prune").stdout)))
    first = rows[0]
    assert list(first) == ["rank", "score", "collection", "uri", "start_line", "end_line", "title", "heading_path"]
    assert (first["rank"], first["uri"], first["heading_path"]) == ("1", "garden/apples.md", "Apple trees → Pruning")


EMPTY = {
    OutputFormat.TEXT: "No match.",
    OutputFormat.MD: "No match.\n",
    OutputFormat.CSV: "rank,score,collection,uri,start_line,end_line,title,heading_path\n",
    OutputFormat.FILES: "",
    OutputFormat.JSONL: "",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("vault")
def test_no_match_is_valid_in_every_format(octavo: Octavo, form: OutputFormat) -> None:
    result = octavo("search", "-p", "lexical_only", "xylophone", "--format", form.value)
    assert (result.exit_code, result.stderr) == (1, "")
    if form is OutputFormat.JSON:
        assert json.loads(result.stdout)["hits"] == []
    elif form is OutputFormat.TEXT:
        assert result.stdout.splitlines()[0] == EMPTY[form]
    else:
        assert result.stdout == EMPTY[form]


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_folder_is_indexed_and_listed_in_every_format(
    octavo: Octavo, tmp_path: Path, form: OutputFormat
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    octavo("init")
    octavo("add", folder)
    for command in (["index"], ["list"], ["list", "--documents"], ["status"], ["status", "--problems"]):
        result = octavo(*command, "--format", form.value)
        assert (result.exit_code, result.stderr) == (0, "")
    assert octavo("search", "anything").exit_code == 1


@pytest.mark.usefixtures("vault")
def test_options_may_stand_before_the_command(octavo: Octavo) -> None:
    assert octavo("--json", "list").stdout == octavo("list", "--json").stdout


@pytest.mark.usefixtures("vault")
def test_get_writes_the_exact_text_into_a_pipe(octavo: Octavo, vault: Vault) -> None:
    text = (vault.folder / "garden" / "apples.md").read_text("utf-8")
    lines = text.splitlines(keepends=True)
    assert octavo("get", "garden/apples.md").stdout == text
    assert octavo("get", "notes/garden/apples.md:4-6").stdout == "".join(lines[3:6])
    assert octavo("get", "garden/apples.md#watering").stdout == "".join(lines[15:])
    assert octavo("get", "garden/apples.md:8", "-B", "1", "-A", "2").stdout == "".join(lines[6:10])
    chunk = json.loads(octavo("search", "--json", "sourdough").stdout)["hits"][0]
    assert octavo("get", chunk["chunk_id"]).stdout == chunk["excerpt"]


@pytest.mark.usefixtures("vault")
def test_explain_adds_the_trace_and_a_file_takes_it_whole(octavo: Octavo, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    answer = json.loads(octavo("search", "--json", "--explain", "--trace", file, "apple").stdout)
    trace = json.loads(file.read_text("utf-8"))
    assert [stage["stage"] for stage in answer["trace"]][:2] == ["lexical", "dense"]
    assert trace["stages"] == answer["trace"]
    assert trace["hits"] == answer["hits"]


@pytest.mark.usefixtures("vault")
def test_filters_narrow_and_may_contradict(octavo: Octavo) -> None:
    def uris(*arguments: str) -> list[str]:
        words = ("search", "-p", "lexical_only", "--json", "tree OR dough OR 東京")
        return [hit["uri"] for hit in json.loads(octavo(*words, *arguments).stdout)["hits"]]

    assert set(uris()) == {"garden/apples.md", "bread.md", "tokyo.md"}
    assert set(uris("--path", "garden/")) == {"garden/apples.md"}
    assert set(uris("--uri", "bread.md", "--uri", "tokyo.md")) == {"bread.md", "tokyo.md"}
    assert set(uris("--tag", "garden", "--tag", "#trees")) == {"garden/apples.md"}
    assert set(uris("--any-tag", "garden", "--any-tag", "nonsense")) == {"garden/apples.md"}
    assert set(uris("--heading", "pruning")) == {"garden/apples.md"}
    assert uris("--kind", "code") == []
    assert uris("--before", "2001-01-01") == []
    assert len(uris("--after", "7d", "-n", "2")) == 2
    assert set(uris("-c", "notes", "--before", "2999-01-01")) == {"garden/apples.md", "bread.md", "tokyo.md"}


@pytest.mark.usefixtures("vault")
def test_a_cut_excerpt_says_so(octavo: Octavo) -> None:
    hit = json.loads(octavo("search", "--json", "sourdough", "--max-chars", "5").stdout)["hits"][0]
    assert (len(hit["excerpt"]), hit["excerpt_truncated"]) == (5, True)


@pytest.mark.usefixtures("vault")
@pytest.mark.one_engine
def test_json_is_ascii_where_stdout_is_not_unicode(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = shell("search", "--json", "東京")
    assert done.stdout.isascii()
    assert json.loads(done.stdout)["hits"][0]["title"] == "東京"
    assert shell("search", "東京").returncode == 0


SCORES = re.compile(
    r"(?m)(?<=score )\d[\d.]*|(?<=cosine )\d[\d.]*|(?<=lexical=)\d[\d.]*|(?<=  )\d\.\d\d$|(?<=^\d,)\d[\d.]*"
)


def normalised(text: str, vault: Vault) -> str:
    """Without what differs from run to run or between processors: times, scores and the place of the vault."""
    text = text.replace(str(vault.folder), "VAULT").replace(shown(vault.library), "LIBRARY")
    text = re.sub(r"\b\d+(?:\.\d+)? (?:ms|s)\b", "TIME", text)
    text = re.sub(r"(?m)^((?:\S+ +){2}(?:[\d,]+ +){2})\d+\.\d+( *)(.*)$", r"\1MS\2\3", text)
    text = re.sub(r"MS +(?=\S)", "MS  ", text)
    text = re.sub(r"(read in a process with ).*", r"\1WHAT THIS MACHINE HAS", text)
    text = re.sub(r"\(\d[\d.]* [kM]?B\)", "(SIZE)", text)
    return SCORES.sub("SCORE", text)


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("search", ["search", "when do I prune an apple tree"]),
        ("search-full", ["search", "--full", "-n", "1", "watering"]),
        pytest.param("search-explain", ["search", "--explain", "-n", "1", "bread oven"], marks=pytest.mark.one_engine),
        ("search-no-match", ["search", "-p", "lexical_only", "xylophone"]),
        ("search-md", ["search", "--format", "md", "-n", "2", "prune"]),
        ("search-csv", ["search", "--format", "csv", "prune"]),
        ("search-files", ["search", "--format", "files", "prune"]),
        ("list", ["list"]),
        pytest.param("status", ["status"], marks=pytest.mark.one_engine),
        pytest.param("doctor", ["doctor"], marks=pytest.mark.one_engine),
    ],
)
def test_people_read_what_was_approved(
    octavo: Octavo, vault: Vault, golden: Callable[[str, str], None], name: str, command: list[str]
) -> None:
    golden(name, normalised(octavo(*command).stdout, vault))


def test_people_read_what_was_approved_of_a_run(
    octavo: Octavo, tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    folder = write_vault(tmp_path / "notes")
    (folder / "broken.md").write_bytes(b"\x00\x01\x02" * 100)
    octavo("init")
    octavo("add", folder)
    first = octavo("index")
    (folder / "bread.md").unlink()
    (folder / "garden" / "apples.md").rename(folder / "apples.md")
    second = octavo("index", "--verbose")
    place = Vault(folder, tmp_path)
    golden("index", normalised(first.stdout, place))
    golden("index-again", normalised(second.stdout, place))


@pytest.mark.one_engine
def test_a_hit_in_a_paper_is_printed_with_its_citation_key_where_no_server_answers(
    octavo: Octavo, environment: Path
) -> None:
    (environment / "papers").mkdir()
    (environment / "papers/hives.html").write_text("<title>Hives</title><p>Bees keep their hive warm.</p>", "utf-8")
    (environment / "papers/all.bib").write_text(
        "@book{huber1792,\n author = {Huber, F.},\n file = {hives.html}\n}\n", "utf-8"
    )
    for library in ("one.db", "two.db"):
        for arguments in (["init"], ["add", environment / "papers"], ["index"]):
            octavo("--library", environment / library, *arguments)
    for libraries in (["one.db"], ["one.db", "two.db"]):
        options = [option for name in libraries for option in ("--library", environment / name)]
        assert "[huber1792] Huber, F." in octavo("search", *options, "warm hive").stdout
    assert "[huber1792] Huber, F." in octavo("try", environment / "papers", "warm hive").stdout
