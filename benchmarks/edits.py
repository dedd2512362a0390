"""Edits of real notes, each undone; writers that are killed; one edit of a large note.

    python benchmarks/edits.py --notes FOLDER --out edits.json

Every edit is checked: what is outside its place is what it was, a dry run says what is then written, and after the
undo the file is equal to the byte. An edit's time is beside that of reading, hashing and writing the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import octavo
from octavo.errors import OctavoError
from octavo.note_editing.folder_lock import folder_lock
from octavo.note_editing.front_matter_property_edits import set_property
from octavo.note_editing.heading_checks import without_jumps
from octavo.note_editing.moves_and_renames import rename_heading
from octavo.note_editing.multi_file_write_journal import Renamed, all_or_nothing, journal_of
from octavo.note_editing.note_files import overwrite, overwrite_all, read
from octavo.note_editing.note_heading_outline import BOM, NoteOutline, text_start
from octavo.note_editing.section_edits import EditedText, append, insert, replace
from octavo.note_editing.section_relocation_text import move

HASHING = {"embedding": {"provider": "hashing"}, "daemon": {"enabled": False}}
LARGEST = 1 << 30
TEXTS = (
    "A line.",
    "- item\n- item",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "```\n# code\n```",
    "Two\n\nparagraphs: ü 日本 🙂",
)


def random_edit(random: random.Random, text: str) -> tuple[str, Callable[[], EditedText]]:
    """One of the edits that tools make, at a random section."""
    document = NoteOutline(text)
    paths = [document.path(number) for number in range(len(document.headings))]
    kinds = ["insert", "property", "auto_fix"] + (["replace", "append", "move", "rename"] * 2 if paths else [])
    kind, content = random.choice(kinds), random.choice(TEXTS)
    path = random.choice(paths) if paths else ()
    parent = random.choice([(), *paths])
    edits: dict[str, Callable[[], EditedText]] = {
        "insert": lambda: insert(document, parent, "New section", content, None, random.choice(["first", "last"])),
        "replace": lambda: replace(document, path, content),
        "append": lambda: append(document, path, content),
        "move": lambda: move(document, path, parent),
        "rename": lambda: rename_heading(document, path, "Another name"),
        "property": lambda: set_property(document, "status", random.choice(["draft", "2026-01-31", "a: b"])),
        "auto_fix": lambda: EditedText(without_jumps(document), 0, 0),
    }
    return kind, edits[kind]


def kept_outside(kind: str, before: str, edit: EditedText) -> bool:
    """Whether an edit left everything outside its place as it was."""
    after = edit.text
    if kind == "property":
        return before[text_start(before) :].removeprefix(BOM) == after[text_start(after) :].removeprefix(BOM)
    if kind in ("move", "auto_fix"):
        return _lines(before) == _lines(after)
    if kind == "rename":
        return (
            len(set(before.split("\n")) ^ set(after.split("\n"))) <= 3 and before[: edit.start] == after[: edit.start]
        )
    return before.startswith(after[: edit.start].rstrip()) and before.endswith(after[edit.end :])


def _lines(text: str) -> Counter[str]:
    """The lines of a text without the marks of headings, and without blank ones."""
    plain = (line.strip().strip("#=-").strip() for line in text.split("\n"))
    return Counter(line for line in plain if line)


def edits_of_files(notes: Path, count: int, seed: int) -> dict[str, Any]:
    """Edits written to files and taken back, as the operations do it, without a library around them."""
    chance = random.Random(seed)
    files = sorted(path for path in notes.rglob("*.md") if path.stat().st_size)
    done: Counter[str] = Counter()
    started = time.perf_counter()
    while done.total() - done["refused"] < count:
        path = chance.choice(files)
        before = read(path, path.name, LARGEST)
        try:
            kind, made = random_edit(chance, before.text)
            edit = made()
        except OctavoError:
            done["refused"] += 1
            assert path.read_bytes() == before.content
            continue
        assert kept_outside(kind, before.text, edit), (path, kind)
        overwrite(before, edit.text.encode())
        after = read(path, path.name, LARGEST)
        assert after.text == edit.text
        overwrite(after, before.content)
        assert path.read_bytes() == before.content, path
        done[kind] += 1
    return {"edits": dict(done), "seconds": round(time.perf_counter() - started, 1)}


def edits_of_library(notes: Path, count: int, seed: int) -> dict[str, Any]:
    """The same through the operations: dry run, write, search index, undo or the version before."""
    chance = random.Random(seed)
    files = sorted(path for path in notes.rglob("*.md") if path.stat().st_size)
    done: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        octavo.open(Path(folder) / "library.db", create=True, config=HASHING) as library,
    ):
        files, notes = _some(files, notes, Path(folder) / "notes", chance)
        library.add(notes, name="notes", writable=True)
        library.index()
        while done.total() - done["refused"] - done["unchanged"] < count:
            path = chance.choice(files)
            done[_written_and_undone(library, notes, path, chance)] += 1
    return {"edits": dict(done)}


def _some(files: list[Path], notes: Path, to: Path, chance: random.Random) -> tuple[list[Path], Path]:
    """Copies of so many notes that indexing them is no wait."""
    copies = []
    for path in sorted(chance.sample(files, min(_INDEXED, len(files)))):
        copies.append(to / path.relative_to(notes))
        copies[-1].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copies[-1])
    return copies, to


_INDEXED = 300


def _written_and_undone(library: octavo.Library, notes: Path, path: Path, chance: random.Random) -> str:
    """Which edit it was; `refused` or `unchanged` where there was none."""
    uri, before = path.relative_to(notes).as_posix(), path.read_bytes()
    headings = NoteOutline(before.decode())
    paths = [list(headings.path(number)) for number in range(len(headings.headings))]
    section, parent, content = chance.choice(paths or [["none"]]), chance.choice([[], *paths]), chance.choice(TEXTS)
    calls: dict[str, Callable[..., Any]] = {
        "insert": lambda **more: library.doc.insert_section(uri, parent, "New section", content, **more),
        "replace": lambda **more: library.doc.replace_section(uri, section, content, **more),
        "append": lambda **more: library.doc.append_to_section(uri, section, content, **more),
        "move": lambda **more: library.doc.move_section(uri, section, parent, **more),
        "property": lambda **more: library.doc.set_property(uri, "status", value="draft", **more),
    }
    kind = chance.choice(sorted(calls))
    versions = library.doc.history(uri).versions
    try:
        said = calls[kind](dry_run=True)
        written = calls[kind]()
    except OctavoError:
        assert path.read_bytes() == before
        return "refused"
    assert (said.hash, said.diff) == (written.hash, written.diff)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == written.hash
    if written.changed and versions and chance.random() < 0.5:
        library.doc.restore(uri, version=versions[-1].version)
    elif written.changed:
        library.doc.restore(uri)
    assert path.read_bytes() == before, (path, kind)
    return kind if written.changed else "unchanged"


def kills(count: int, seed: int) -> dict[str, Any]:
    """Writers killed at random moments: the file is the old one or the new one, and nothing else is there."""
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "note.md"
        versions = [f"# {name}\n\n{name * 200_000}\n".encode() for name in "ab"]
        path.write_bytes(versions[0])
        for _ in range(count):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not use
                child = os.fork()
            if not child:
                try:
                    while True:
                        present = read(path, path.name, LARGEST)
                        overwrite(present, versions[present.content == versions[0]])
                finally:
                    os._exit(1)
            time.sleep(chance.random() * 0.02)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            content = path.read_bytes()
            found["old or new" if content in versions else "NEITHER"] += 1
            left = [entry.name for entry in Path(folder).iterdir() if entry.name != path.name]
            found["drafts left behind"] += len(left)
        present = read(path, path.name, LARGEST)
        overwrite(present, versions[0])
        found["drafts after the next write"] = len(list(Path(folder).iterdir())) - 1
    return dict(found)


def linked_kills(count: int, seed: int) -> dict[str, Any]:
    """Writers killed while they rename a note and write the links to it: after the next writer all are old or new."""
    chance = random.Random(seed)
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        root, journals = Path(folder).resolve() / "notes", Path(folder) / "writes"
        root.mkdir()
        for number in range(_LINKING):
            (root / f"{number}.md").write_bytes(_linking("a"))
        (root / "a.md").write_bytes(b"# Note\n")
        for _ in range(count):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not use
                child = os.fork()
            if not child:
                try:
                    while True:
                        _rename_with_links(root, journals)
                finally:
                    os._exit(1)
            time.sleep(chance.random() * 0.05)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            found["stopped half-way"] += journal_of(root, journals).interrupted
            with folder_lock(root, journals):
                pass
            name = "a" if (root / "a.md").exists() else "b"
            texts = {(root / f"{number}.md").read_bytes() for number in range(_LINKING)}
            others = {path.name for path in root.iterdir()} - {f"{number}.md" for number in range(_LINKING)}
            found["old or new" if texts == {_linking(name)} and others == {f"{name}.md"} else "MIXED"] += 1
    return dict(found)


_LINKING = 12  # notes that link to the one that is renamed


def _linking(name: str) -> bytes:
    return f"# Links\n\n[[{name}]]\n".encode() + b"text\n" * 2_000


def _rename_with_links(root: Path, journals: Path) -> None:
    """The renamed note and all that link to it, as `doc_rename` writes them."""
    with folder_lock(root, journals) as journal:
        old, new = ("a", "b") if (root / "a.md").exists() else ("b", "a")
        files = [read(root / f"{number}.md", "note", LARGEST) for number in range(_LINKING)]
        changes = [(file, _linking(new)) for file in files]
        source, target = root / f"{old}.md", root / f"{new}.md"
        with all_or_nothing(journal, changes, Renamed(source, target)):
            source.rename(target)
            overwrite_all(changes)


def large_note(notes: Path, size: int, rounds: int) -> dict[str, Any]:
    """One edit of a large note, beside reading, hashing and writing the same bytes."""
    pieces, total = [], 0
    while total < size:
        for path in sorted(notes.rglob("*.md")):
            text = path.read_text("utf-8").replace("\n# ", "\n## ")
            pieces.append(f"\n# Note {len(pieces)}\n\n{text[text.find(chr(10) * 2) :]}\n")
            total += len(pieces[-1].encode())
            if total >= size:
                break
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.md"
        path.write_text("".join(pieces), "utf-8")
        target = ["Note 7"]

        def edit() -> None:
            before = read(path, path.name, LARGEST)
            document = NoteOutline(before.text)
            overwrite(before, append(document, target, "One line.").text.encode())

        def copy() -> None:
            before = read(path, path.name, LARGEST)
            hashlib.sha256(before.content).hexdigest()
            overwrite(before, before.text.encode())

        times = {name: min(_seconds(call) for _ in range(rounds)) for name, call in (("edit", edit), ("copy", copy))}
        with octavo.open(Path(folder) / "library.db", create=True, config=HASHING) as library:
            library.add(Path(folder), name="notes", writable=True)
            through = {
                "append": lambda n: library.doc.append_to_section(path.name, [f"Note {n}"], "A line."),
                "replace": lambda n: library.doc.replace_section(path.name, [f"Note {n}"], "Another text."),
                "insert": lambda n: library.doc.insert_section(path.name, [f"Note {n}"], "New", "A text."),
                "rename": lambda n: library.doc.rename(path.name, heading_path=[f"Note {n}"], heading=f"Called {n}"),
                "move": lambda n: library.doc.move_section(path.name, [f"Note {n}"], [f"Note {len(pieces) - 1}"]),
                "undo": lambda _: library.doc.restore(path.name),
            }
            calls = {
                name: [_seconds(lambda call=call, n=10 * order + n: call(n)) for n in range(rounds + 1)][1:]
                for order, (name, call) in enumerate(through.items(), start=1)
            }
    return {
        "bytes": total,
        "edit": _times(times["edit"]),
        "copy": _times(times["copy"]),
        "through the library, at best": {name: _times(min(spent)) for name, spent in calls.items()},
        "through the library, median": {name: _times(sorted(spent)[rounds // 2]) for name, spent in calls.items()},
    }


def _times(spent: tuple[float, float]) -> dict[str, float]:
    processor, wall = spent
    return {"processor_ms": round(processor * 1000, 1), "wall_ms": round(wall * 1000, 1)}


def _seconds(call: Callable[[], object]) -> tuple[float, float]:
    """Of the processor, and on the wall: on a busy machine the second says how busy it is."""
    started, begun = time.process_time(), time.perf_counter()
    call()
    return time.process_time() - started, time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=Path, required=True, help="a folder of Markdown; it is copied")
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--library-edits", type=int, default=200)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--large", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=7, help="how often each edit of the large note is timed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder) / "notes"
        shutil.copytree(given.notes, notes)
        report = {
            "kills": kills(given.kills, given.seed),
            "linked kills": linked_kills(given.kills, given.seed),
            "large": large_note(notes, given.large, given.rounds),
            "files": edits_of_files(notes, given.edits, given.seed),
            "library": edits_of_library(notes, given.library_edits, given.seed),
        }
    written = json.dumps(report, indent=2)
    if given.out:
        given.out.write_text(written + "\n", "utf-8")
    sys.stdout.write(written + "\n")


if __name__ == "__main__":
    main()
