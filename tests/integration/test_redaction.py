"""A key or token in a file, a commit or a memory never reaches the library, unless its collection says so."""

from __future__ import annotations

import json
from dataclasses import replace

import apsw
import pytest
import zstandard
from documents import zipped
from git_repository import GitRepository
from secret_tokens import TOKENS
from workbench import Bench

from octavo.engine.maintenance.damage_check import damage
from octavo.errors import InvalidArgument
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.memory_changes import archive, create, link, revise
from octavo.memory.remember import remember
from octavo.memory.version_history import version
from octavo.memory.work_sessions import start
from octavo.model.memory import MemoryLink
from octavo.model.query import Query
from octavo.operations.canonical_documents.requests import CanonicalUpsertRequest
from octavo.operations.canonical_documents.write_read_and_pack import canonical_upsert
from octavo.operations.library.collections import add
from octavo.operations.library.doctor import health_checks
from octavo.operations.library.requests import AddRequest
from octavo.retrieval.reference_resolution import read_passage
from octavo.sources import git_commits
from octavo.sources.secret_redaction import MARK

TOKEN = TOKENS["GitHub token"]
NOTE = f"# Deploy {TOKEN}\n\nThe key is {TOKEN}, keep it.\n\nThen restart the boiler.\n"
HIDDEN = NOTE.replace(TOKEN, MARK * len(TOKEN))


def stored(bench: Bench) -> str:
    """Everything the library holds: its texts, which may be compressed, and the bytes of its files."""
    with bench.opened() as engine:
        documents = [read_passage(engine, uri).text for uri in bench.ledger() if uri.endswith(".md")]
    raw = [path.read_bytes().decode("latin-1") for path in bench.library.parent.glob(f"{bench.library.name}*")]
    return "\n".join([*documents, *raw])


def test_a_token_in_a_file_is_stored_as_marks_and_its_line_is_in_the_ledger(bench: Bench) -> None:
    bench.write({"deploy.md": NOTE, "app.py": f'KEY = "{TOKEN}"\n'})
    report = bench.index()
    assert TOKEN.lower() not in stored(bench).lower()
    with bench.opened() as engine:
        assert read_passage(engine, "deploy.md").text == HIDDEN
        said = [check for check in health_checks(engine) if check.name == "secrets"]
    assert bench.ledger()["deploy.md"].warnings == (
        "redacted: GitHub token, line 1",
        "redacted: GitHub token, line 3",
    )
    assert [(problem.uri, problem.reason) for problem in report.warned if problem.uri == "app.py"] == [
        ("app.py", "redacted: GitHub token, line 1")
    ]
    assert bench.found("boiler") != []
    assert bench.found(TOKEN) == []
    (check,) = said
    assert check.ok
    assert "notes/app.py (redacted: GitHub token, line 1)" in check.message
    assert TOKEN not in check.message
    assert bench.index().unchanged == 2


def test_a_token_in_what_a_format_tells_beside_its_text_is_redacted_too(bench: Bench) -> None:
    """The subject of a message becomes a title, a heading and words; what a page says of itself is metadata."""
    bench.write({"m.eml": f"From: a@example.org\nSubject: Door {TOKEN}\nMIME-Version: 1.0\n\nThe boiler.\n"})
    page = (
        f"<html><head><title>Gate {TOKEN}</title><meta name='description' content='{TOKEN}'></head><body><p>Tree.</p>"
    )
    bench.write({"p.html": f"{page}</body></html>"})
    bench.index()
    library = apsw.Connection(str(bench.library))
    told = library.execute(
        "select title || title_folded || coalesce(description, '') || metadata || aliases || tags from documents"
        " union all select path || path_folded || anchor from sections union all select context from chunk_inputs"
        " union all select term from lexical_words union all select title from document_versions"
    ).fetchall()
    library.close()
    said = "\n".join(row[0] for row in told)
    assert "Door" in said and "Gate" in said and MARK in said
    assert TOKEN.lower() not in said.lower()
    with bench.opened() as engine:
        entries = engine.store.ledger.entries(engine.project.id, engine.collections()[0].id)
        assert {uri for uri, entry in entries.items() if "redacted: GitHub token" in str(entry.warnings)} == set(
            entries
        )


def test_a_token_that_a_file_spells_in_escapes_or_pieces_is_redacted_once_it_is_read(bench: Bench) -> None:
    escaped = TOKEN.replace("_", "\\x5f")
    cell = {"cell_type": "markdown", "source": ["# Boiler\n", TOKEN[:9], TOKEN[9:]]}
    bench.write({"deploy.md": f'---\nkey: "{escaped}"\n---\n# Deploy\n', "a.ipynb": json.dumps({"cells": [cell]})})
    bench.index()
    assert TOKEN.lower() not in stored(bench).lower()
    with bench.opened() as engine:
        assert read_passage(engine, "a.ipynb").text == f"# Boiler\n{MARK * len(TOKEN)}\n"
        assert damage(engine) == ()
    assert bench.ledger()["a.ipynb"].warnings == ("redacted: GitHub token, line 2",)
    assert bench.ledger()["deploy.md"].warnings == ("redacted: GitHub token, line 1",)


def test_a_collection_that_allows_secrets_stores_them_and_takes_it_back(bench: Bench) -> None:
    bench.write({"deploy.md": NOTE})
    bench.index()
    bench.collection = replace(bench.collection, allow_secrets=True)
    bench.index()
    with bench.opened() as engine:
        assert read_passage(engine, "deploy.md").text == NOTE
        assert not [check for check in health_checks(engine) if check.name == "secrets"]
    bench.collection = replace(bench.collection, allow_secrets=False)
    bench.index()
    with bench.opened() as engine:
        assert read_passage(engine, "deploy.md").text == HIDDEN
        held = dict(engine.store.pruning.stored_texts(engine.project.id))
        assert [text for text in held.values() if TOKEN in text] == []  # nor does an earlier version say it


@pytest.mark.skipif(git_commits.git_program() is None, reason="git is not installed")
def test_a_token_in_a_diff_or_a_message_is_redacted_and_named_with_its_commit(bench: Bench) -> None:
    repo = GitRepository(bench.folder)
    first = repo.commit("Add", {"a.py": f'key = "{TOKEN}"\n'})
    second = repo.commit(f"Take out {TOKEN}\n\nIt was\n{TOKEN}\n", {"a.py": "key = None\n"})
    bench.index()
    repo.commit("Go on", {"b.py": "x = 1\n"})
    bench.index()
    with bench.opened() as engine:
        for hash_ in (first, second):
            text = read_passage(engine, hash_[:10]).text
            assert TOKEN not in text
            assert MARK * len(TOKEN) in text
    warnings = bench.ledger()[".git"].warnings
    assert sorted(warning.partition(":")[0] for warning in warnings) == sorted([first, *[second] * 3])
    assert all("redacted: GitHub token, line " in warning for warning in warnings)
    assert TOKEN.lower() not in stored(bench).lower()


@pytest.mark.skipif(git_commits.git_program() is None, reason="git is not installed")
def test_a_token_in_the_name_of_an_author_is_redacted(bench: Bench) -> None:
    repo = GitRepository(bench.folder)
    hash_ = repo.commit("Add", {"a.py": "x = 1\n"}, author=f"Ann {TOKEN} <{TOKENS['GitLab token']}@example.org>")
    bench.index()
    with bench.opened() as engine:
        assert f"Ann {MARK * len(TOKEN)} <" in read_passage(engine, hash_[:10]).text
    library = apsw.Connection(str(bench.library))
    told = library.execute("select author from commits union all select metadata from documents").fetchall()
    library.close()
    assert [row for row in told if TOKEN in row[0] or TOKENS["GitLab token"] in row[0]] == []
    assert TOKEN.lower() not in stored(bench).lower()


def test_a_token_in_the_name_of_what_lies_inside_of_a_file_is_redacted(bench: Bench) -> None:
    """A message of a mailbox is named after its subject, with another case and without its signs."""
    mailbox = f"From a@b Sat Jan  1 00:00:00 2022\nFrom: a@b.example\nSubject: Door {TOKEN}\n\nThe boiler.\n"
    other = TOKEN[:-1] + ("a" if TOKEN[-1] != "a" else "b")
    archive = zipped({f"{TOKEN}.md": "# A\n\nGate\n", f"{other}.md": "# B\n\nTree\n", f"{TOKEN}.env": "x"})
    bench.write({"in.mbox": mailbox, "old.zip": archive})
    bench.index(converting={"archives": True})
    hidden = MARK * len(TOKEN)
    uris = sorted(bench.ledger())
    assert [uri for uri in uris if uri.startswith("old.zip/")] == [
        f"old.zip/{hidden}-2.md",
        f"old.zip/{hidden}.env",
        f"old.zip/{hidden}.md",
    ]
    assert [uri for uri in uris if uri.startswith("in.mbox/door-")] != []
    assert TOKEN.lower().replace("_", "-") not in stored(bench).lower().replace("_", "-")
    assert (bench.found("Gate"), bench.found("Tree")) == ([f"old.zip/{hidden}.md"], [f"old.zip/{hidden}-2.md"])


def test_a_memory_is_stored_without_its_token_unless_somebody_insists(bench: Bench) -> None:
    with bench.opened() as engine:
        item = create(engine.memories, MemoryDraft(f"{TOKEN} opens the door.")).item
        uri = f"{item.id}.md"
        assert read_passage(engine, uri).text == f"{MARK * len(TOKEN)} opens the door.\n"
        assert TOKEN not in item.title
        entry = engine.store.ledger.entries(engine.project.id, engine.memories.collection.id)[uri]
        assert entry.warnings == ("redacted: GitHub token, line 1",)
        forced = remember(engine.memories, MemoryDraft(f"{TOKEN} is none."), force=True).committed.item
        assert TOKEN in read_passage(engine, f"{forced.id}.md").text


def test_no_token_enters_the_log_of_memories_or_their_tags(bench: Bench) -> None:
    bench.index()
    with bench.opened() as engine:
        by = Provenance(author=f"ann {TOKEN}", reason=f"because of {TOKEN}")
        item = remember(engine.memories, MemoryDraft("The door is green."), by).committed.item
        (logged,) = engine.memories.repository.commits(engine.project.id, item.id)
        (kept,) = engine.memories.repository.versions(engine.project.id, item.id)
        hidden = MARK * len(TOKEN)
        assert (logged.author, logged.reason) == (kept.author, kept.reason) == (f"ann {hidden}", f"because of {hidden}")
        for beside in (
            {"tags": (TOKEN,)},
            {"scope": TOKEN},
            {"links": (MemoryLink(f"https://example.org/{TOKEN}"),)},
            {"doc_class": TOKEN},
            {"metadata": {"key": TOKEN}},
        ):
            with pytest.raises(InvalidArgument, match="GitHub token"):
                remember(engine.memories, replace(MemoryDraft("The gate is red."), **beside))  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="GitHub token"):
            canonical_upsert(engine, CanonicalUpsertRequest(f"plans/{TOKEN}", "The roof."))
        with pytest.raises(InvalidArgument, match="GitHub token"):
            link(engine.memories, item.id, MemoryLink(TOKEN))
        with pytest.raises(InvalidArgument, match="GitHub token"):
            add(engine, AddRequest(folder=str(bench.folder), name="notes", tags=(TOKEN,)))
        assert TOKEN not in str(start(engine.memories, f"Work {TOKEN}", f"ann {TOKEN}"))
        key = Provenance(key=TOKEN)
        first, again = (remember(engine.memories, MemoryDraft("The path is long."), key).committed for _ in range(2))
        assert first.item.id == again.item.id
    assert TOKEN.lower() not in stored(bench).lower()


def test_a_library_made_before_is_redacted_by_its_next_run(bench: Bench) -> None:
    bench.write({"deploy.md": NOTE, "m.eml": f"From: a@example.org\nSubject: Door {TOKEN}\n\nThe boiler.\n"})
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr("octavo.ingest.file_preparation.redacted_conversion", lambda converted: (converted, ()))
        earlier.setattr("octavo.ingest.file_preparation.redacted_source", lambda source: (source, ()))
        earlier.setattr("octavo.engine.wiring.configured_index_recipe.REDACTION_VERSION", "none")
        bench.index()
        with bench.opened() as engine:
            assert TOKEN in read_passage(engine, "deploy.md").text
            memory = create(engine.memories, MemoryDraft(f"{TOKEN} opens the door.")).item
            revise(engine.memories, memory.id, MemoryDraft(f"The door: {TOKEN}."))
            gone = create(engine.memories, MemoryDraft(f"{TOKEN} opens the gate.")).item
            archive(engine.memories, gone.id)
            earlier.setattr("octavo.memory.work_sessions.redacted", lambda told: (told, ()))
            start(engine.memories, f"Work {TOKEN}", f"ann {TOKEN}")
    bench.index()
    with bench.opened() as engine:
        assert read_passage(engine, "deploy.md").text == HIDDEN
        assert damage(engine) == ()
        (session,) = engine.memories.repository.sessions(engine.project.id)
        assert (session.title, session.author) == (f"Work {MARK * len(TOKEN)}", f"ann {MARK * len(TOKEN)}")
        held = dict(engine.store.pruning.stored_texts(engine.project.id))
        assert [text for text in held.values() if TOKEN in text] == []
    copies = apsw.Connection(str(bench.library))
    titles = "select title from documents union all select title from document_versions"
    assert [row for row in copies.execute(titles).fetchall() if TOKEN in row[0]] == []
    second = [zstandard.decompress(row[0]).decode() for row in copies.execute("select data from memory_texts")]
    copies.close()
    assert len(second) == 3 and TOKEN not in "".join(second)
    with bench.opened() as engine:
        versions = [
            (shown.version.title, shown.text)
            for item, numbers in ((memory, (1, 2)), (gone, (1,)))
            for shown in (version(engine.memories, item.id, number) for number in numbers)
        ]
        assert [said for said in versions if TOKEN in "".join(said) or MARK not in said[1]] == []
        shown = [hit.excerpt.strip() for hit in engine.search(Query("door", 5)).hits]
        assert f"The door: {MARK * len(TOKEN)}." in shown
