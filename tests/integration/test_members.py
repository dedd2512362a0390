"""Documents inside of files: messages of a mailbox, what is attached to them, and what archives hold."""

from __future__ import annotations

import gzip
import io
import tarfile
from email.message import EmailMessage

import pytest
from documents import pdf, zipped
from workbench import Bench, found, several_processes

from octavo.model.converted_file import Position
from octavo.model.indexing_ledger import FileOutcome
from octavo.model.projects_and_collections import CollectionSettings
from octavo.observability.progress import NoProgress
from octavo.operations.library.indexing import reindex
from octavo.operations.library.requests import ReindexRequest

ARCHIVES = CollectionSettings(archives=True)


def message(subject: str, text: str, number: int, attached: dict[str, bytes] | None = None) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Ann <ann@example.org>", "Ben <ben@example.org>", subject
    made["Date"], made["Message-ID"] = f"Mon, {number} Mar 2026 10:00:00 +0100", f"<{number}@example.org>"
    if number > 1:
        made["References"] = "<1@example.org>"
    made.set_content(text)
    for name, data in (attached or {}).items():
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return made


def mailbox(*messages: EmailMessage) -> bytes:
    return b"".join(b"From ann@example.org Mon Mar  2 10:00:00 2026\n%b\n\n" % each.as_bytes() for each in messages)


HIVE = message("The hive", "Two frames of brood.", 2)
FEED = message("Feeding", "Syrup in autumn.\n\n>From then on nothing.", 3)
REPORT = pdf([["A first page about nothing."], ["The mites were counted in August."]])


def uris(bench: Bench) -> list[str]:
    return sorted(uri for uri, entry in bench.ledger().items() if entry.document_id is not None)


@pytest.mark.parametrize("arrange", [None, several_processes])
def test_every_message_of_a_mailbox_is_a_document_with_its_thread(bench: Bench, arrange) -> None:  # type: ignore[no-untyped-def]
    bench.write({"mail/in.mbox": mailbox(HIVE, FEED)})
    bench.index(arrange)
    hive, feed = "mail/in.mbox/2026-03-02-the-hive-", "mail/in.mbox/2026-03-03-feeding-"
    found_uris = uris(bench)
    assert [uri[:-12] for uri in found_uris] == [hive, feed]
    with bench.opened() as engine:
        hit = found(engine, "frames of brood", "lexical_only")[0]
        stored = engine.store.documents.get(engine.project.id, hit.document_id)
    assert (hit.citation.uri, hit.title) == (found_uris[0], "The hive")
    assert stored is not None and stored.metadata["thread"] == "<1@example.org>"


def test_a_mailbox_that_grew_adds_its_new_message_and_removes_the_deleted(bench: Bench) -> None:
    bench.write({"in.mbox": mailbox(HIVE)})
    bench.index()
    (hive,) = uris(bench)
    bench.write({"in.mbox": mailbox(HIVE, FEED)})
    report = bench.index()
    assert (report.added, report.changed, report.unchanged, report.removed) == (1, 0, 1, 0)
    bench.write({"in.mbox": mailbox(FEED)})
    report = bench.index()
    assert (report.added, report.removed) == (0, 1)
    assert hive not in bench.ledger() and len(uris(bench)) == 1
    (bench.folder / "in.mbox").unlink()
    assert bench.index().removed == 1
    assert bench.ledger() == {}


def test_an_attachment_is_cited_by_its_own_page(bench: Bench) -> None:
    letter = message("Mites", "See the report.", 4, {"report.pdf": REPORT, "data.csv": b"hive,mites\n1,12\n"})
    bench.write({"letter.eml": letter.as_bytes()})
    bench.index()
    assert uris(bench) == ["letter.eml", "letter.eml/data.csv", "letter.eml/report.pdf"]
    with bench.opened() as engine:
        hit = found(engine, "counted in August", "lexical_only")[0]
    assert (hit.citation.uri, hit.citation.position) == ("letter.eml/report.pdf", Position(page=2))
    assert hit.stale is None, "the message that holds it is what is compared with the disk"


def test_a_message_attached_to_a_message_is_a_document_and_its_attachments_are_too(bench: Bench) -> None:
    inner = message("Inner", "The queen is marked green.", 5, {"note.md": b"# Colours\n\nGreen is for 2024.\n"})
    outer = message("Outer", "Forwarded.", 6)
    outer.add_attachment(inner)
    bench.write({"outer.eml": outer.as_bytes()})
    bench.index()
    assert uris(bench) == ["outer.eml", "outer.eml/Inner.eml", "outer.eml/Inner.eml/note.md"]
    assert bench.found("marked green")[0] == "outer.eml/Inner.eml"


def test_archives_are_entered_only_when_asked(bench: Bench) -> None:
    archive = zipped(
        {"notes/a.md": "# Bees\n\nA swarm in May.\n", "b.txt": "wax\n", "__MACOSX/b.txt": "x", "c.png": "p"}
    )
    bench.write({"old.zip": archive})
    bench.index()
    entry = bench.ledger()["old.zip"]
    assert (entry.outcome, entry.reason) == (FileOutcome.SKIPPED, "an archive: --archives reads what is in it")
    bench.collection = ARCHIVES
    bench.index()
    assert uris(bench) == ["old.zip/b.txt", "old.zip/notes/a.md"]
    assert bench.ledger()["old.zip/c.png"].reason == "an image: OCR is off"
    assert bench.found("swarm") == ["old.zip/notes/a.md"]
    assert bench.index().bytes == 0, "nothing changed, and nothing is opened"
    bench.collection = CollectionSettings()
    bench.index()
    assert uris(bench) == [] and set(bench.ledger()) == {"old.zip"}


def test_tar_and_single_compressed_files_are_archives(bench: Bench) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        for name, data in {"../up.md": b"# Up\n", "in/deep.txt": b"honeycomb\n"}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("link.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    bench.collection = ARCHIVES
    bench.write({"a.tar.gz": target.getvalue(), "b.txt.gz": gzip.compress(b"propolis\n")})
    bench.index()
    assert uris(bench) == ["a.tar.gz/in/deep.txt", "a.tar.gz/up.md", "b.txt.gz/b.txt"]


def test_a_bomb_is_refused_by_its_ratio_and_what_lies_too_deep_is_not_opened(bench: Bench) -> None:
    deep = zipped({"deepest.txt": "found\n"})
    for number in range(6):
        deep = zipped({f"{number}.zip": deep})
    bench.collection = ARCHIVES
    bench.write({"bomb.zip": zipped({"a.txt": b"\0" * 30_000_000}), "deep.zip": deep, "no.zip": b"a text"})
    bench.index()
    ledger = bench.ledger()
    assert ledger["no.zip"].reason == "damaged: it is no archive that can be opened"
    assert ledger["bomb.zip"].reason == (
        "too large: a.txt unpacks to 30,000,000 bytes, more than 200 times its size; nothing of it was read"
    )
    assert [entry.reason for uri, entry in ledger.items() if entry.reason and uri.startswith("deep.zip/")] == [
        "it lies inside of 4 other files, and is not opened"
    ]
    assert uris(bench) == []


def test_files_in_an_archive_follow_the_rules_of_the_collection(bench: Bench) -> None:
    files = {"a.md": "# A\n", "skip/b.md": "# B\n", ".env": "KEY=1", "id_rsa": "key", "node_modules/c.md": "# C\n"}
    bench.collection = CollectionSettings(archives=True, include=("*.zip",), ignore=("skip/",))
    bench.write({"a.zip": zipped(files), "other.md": "# Other\n"})
    bench.index()
    assert uris(bench) == ["a.zip/a.md"]


def test_indexing_below_a_file_removes_nothing_of_it(bench: Bench) -> None:
    bench.write({"in.mbox": mailbox(HIVE, FEED)})
    bench.index()
    before = uris(bench)
    with bench.opened() as engine:
        reindex(engine, ReindexRequest(scope="prefix", prefix="in.mbox/2026-03-02", wait=True), NoProgress())
    assert uris(bench) == before
