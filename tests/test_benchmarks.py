"""Every benchmark and script runs, at its smallest size; what cannot is listed with the reason."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = {
    path.relative_to(ROOT).with_suffix("").as_posix(): path
    for folder in ("benchmarks", "scripts")
    for path in (ROOT / folder).glob("*.py")
    if "__main__" in path.read_text("utf-8")
}
SMALLEST = {
    "benchmarks/ablations": "{judged} --questions 2 --each 1 --no-pinned",
    "benchmarks/agent": "{code} --out {out}",
    "benchmarks/answers": "{library}",
    "benchmarks/before_after": "{notes} --before octavo:{src} --runs 0 --indexings 0 --out {out}",
    "benchmarks/citations": "en={notes} --files 3 --queries 3 --out {out} --work {work}/citations",
    "benchmarks/code": "{code} --out {out} --workers 1",
    "benchmarks/code_tasks": "{repository} {out}/tasks --back 0",
    "benchmarks/conversations": "{talks}",
    "benchmarks/definitions": "code={notes} --each 1 --out {out}",
    "benchmarks/edits": "--notes {notes} --edits 5 --library-edits 2 --kills 2 --large 130000 --rounds 1",
    "benchmarks/embedding": "--text {notes} --chunks 8 --fast-chunks 20 --rounds 1",
    "benchmarks/foundation": "{notes} --embed 4 --chunks 20 --starts 1 --out {out}",
    "benchmarks/history": "{repository} --commits 3 --embed 2 --out {out}",
    "benchmarks/locomo_memory": "{talks} --provider hashing",
    "benchmarks/memory_kills": "--kills 1",
    "benchmarks/memory_writes": "--writers 2 --seconds 0.2",
    "benchmarks/multilingual": "en={notes} --pages 3 --questions 2 --out {out}",
    "benchmarks/painting": "{library} --queries 1 --out {out}",
    "benchmarks/peers": "--text {notes} --chunks 50 --queries 3 --peers= --folder {work}",
    "benchmarks/postgres": "--chunks 50 --times 1 --seconds 0.1 --out {out}/postgres.json",
    "benchmarks/postgres_evaluation": "{judged} --limit-queries 1 --out {out}/postgres_evaluation.json",
    "benchmarks/postgres_round_trip": "--chunks 50 --questions 2 --out {out}/round_trip.json",
    "benchmarks/query_syntax": "--queries 5 --out {out}",
    "benchmarks/replaced": "{notes} --letters 20",
    "benchmarks/scale": "50 --folder {work} --queries 2 --text {notes}",
    "benchmarks/score_properties": "{notes} --pairs 1 --asked 1",
    "benchmarks/postgres_snapshot": "--text {notes} --chunks 50 --queries 2 --copied 1 --shared-buffers 64MB",
    "benchmarks/postgres_vectors": "--vectors 200 --shared-buffers 64MB --build-memory 64MB",
    "benchmarks/team": "--servers 1 --workers 1 --clients 1 --seconds 1 --embedding 1",
    "benchmarks/serving": "{notes} --queries 2 --clients 1 --edits 1 --provider hashing --out {out}",
    "benchmarks/soak": "--seconds 3 --documents 40 --out {out}",
    "benchmarks/support": "{notes} --each 1",
    "benchmarks/typed_queries": "en={notes} --files 5 --each 2 --out {out} --work {work}/typed_queries",
    "benchmarks/typists": "{library} --people 1 --queries 1 --pause 0.05 --out {out}",
    "scripts/fit_calibration": "{judged} --questions 2",
    "scripts/make_vault": "{out}/vault --files 3",
    "scripts/measure_fast": "{judged}",
    "scripts/print_openapi": "",
    "scripts/write_sets": "{out}/sets.xz small={judged}",
}
WEIGHTS = "makes the shipped weights: wants torch, a GPU, or text and models that are fetched"
NOT_RUN = {
    **dict.fromkeys(
        [f"benchmarks/{name}" for name in ("faults", "hostile_documents", "interleavings", "tree_histories")],
        "a test of its own runs a small round and reads what it finds",
    ),
    "benchmarks/pdf_words": "compares with PyMuPDF, which no group of dependencies has",
    "benchmarks/peer_engines": "is started by peers, with the name of an engine that is fetched",
    "scripts/check_wheels": "asks the package index; its functions have tests",
    "scripts/integrations": "installs other people's frameworks from the package index",
    "scripts/fit_fusion": "measures thousands of questions of sets that are not shipped",
    "scripts/fuzz_http": "is a test of its own, which wants schemathesis and minutes",
    "scripts/make_pictures": "rewrites the pictures of the documentation",
    "scripts/make_word_translations": "wants parallel text, which harvest_parallel reads from other repositories",
    "scripts/make_trec_eval_golden": "wants pytrec_eval, a program of its own",
    "scripts/make_word_relations": "wants the files of WordNet",
    "scripts/release": "builds distributions with programs of the group `release`; its functions have tests",
    **dict.fromkeys(
        [f"scripts/make_{page}_reference" for page in ("cli", "configuration", "install", "operations", "seeds")]
        + ["scripts/make_python_api", "scripts/build_docs"],
        "`./dev check` runs it",
    ),
    **dict.fromkeys(
        (
            f"scripts/{name}"
            for name in (
                *("build_minilm", "distil_encoder", "encoder_words", "export_encoder", "finish_encoder"),
                *("harvest_parallel", "harvest_sources", "teachers"),
            )
        ),
        WEIGHTS,
    ),
}
WANTED = {
    "benchmarks/painting": "playwright",
    "benchmarks/replaced": "pathspec",
    **{name: "psycopg" for name in SMALLEST if "postgres" in name or name.endswith("/team")},
}
"""The packages that not every environment of the tests has."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A few notes, some code, a repository, judged questions, conversations, and a library."""
    work = tmp_path_factory.mktemp("work")
    names = ("notes", "code", "repository", "judged", "talks", "out", "home")
    found = {name: work / name for name in names} | {"work": work, "src": ROOT / "src", "library": work / "l.db"}
    for name in names:
        found[name].mkdir()
    for path in sorted((ROOT / "examples" / "vault" / "equipment").glob("*.md"))[:6]:
        shutil.copy(path, found["notes"])
    for path in sorted((ROOT / "src" / "octavo" / "algorithms" / "ranking").glob("*.py"))[:4]:
        shutil.copy(path, found["code"])
    shutil.copytree(found["notes"], found["repository"], dirs_exist_ok=True)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "First"]):
        git = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *arguments]
        subprocess.run(git, cwd=found["repository"], check=True)
    texts = {path.stem: path.read_text("utf-8") for path in found["notes"].iterdir()}
    judged = {name: f"q{number}" for number, name in enumerate(sorted(texts))}
    about = {"conversation": "c", "session": 1, "category": 1}
    written = {
        "corpus.jsonl": [
            {"_id": f"c/{name}", "title": name, "text": texts[name], "metadata": about} for name in judged
        ],
        "queries.jsonl": [{"_id": key, "text": f"about {name}?", "metadata": about} for name, key in judged.items()],
    }
    lines = {name: "".join(f"{json.dumps(row)}\n" for row in rows) for name, rows in written.items()}
    lines["qrels.tsv"] = "query-id\tcorpus-id\tscore\n" + "".join(
        f"{key}\tc/{name}\t1\n" for name, key in judged.items()
    )
    for name, text in lines.items():
        (found["judged"] / name).write_text(text, "utf-8")
        (found["talks"] / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    sessions = "query-id\tcorpus-id\tscore\n" + "".join(f"{key}\tc/S1\t1\n" for key in judged.values())
    (found["talks"] / "qrels.sessions.tsv.gz").write_bytes(gzip.compress(sessions.encode()))
    for arguments in (["init"], ["add", str(found["notes"]), "--name", "notes"], ["index"]):
        run(["-m", "octavo", "--library", str(found["library"]), *arguments], found)
    run(["-m", "octavo", "eval", "run", str(found["judged"])], found)
    return found


def run(arguments: list[str], places: dict[str, Path]) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OCTAVO_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=places["work"],
        env=kept | {"HOME": str(places["home"]), "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-4_000:]


def test_every_program_runs_here_or_says_why_not() -> None:
    assert PROGRAMS.keys() == SMALLEST.keys() | NOT_RUN.keys()
    assert SMALLEST.keys().isdisjoint(NOT_RUN)


@pytest.mark.parametrize("name", SMALLEST)
def test_a_program_runs_at_its_smallest_size(name: str, places: dict[str, Path]) -> None:
    wanted = WANTED.get(name)
    if wanted and not find_spec(wanted):
        pytest.skip(f"{wanted} is not installed")
    run([str(PROGRAMS[name]), *SMALLEST[name].format(**places).split()], places)
