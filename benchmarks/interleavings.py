"""Random interleavings of everything that writes, over real processes that are killed at random, against a model.

    ./dev bench interleavings --steps 10000 [--engine sqlite|postgres] [--seed 1] [--folder WORK]

Bursts of operations go to several processes at once: remember, revise, restore a version, archive, canonical upsert,
synchronise with a folder, edit and index notes, add and remove a collection, prune, snapshot, work off jobs, back up,
restore. Some processes are killed in the middle; what they did not answer is asked again under its idempotency key.
After each burst the whole library is checked (`octavo db check --full`) and compared with what the answers promised:

- a version that was answered is in the history for ever, and numbers have no gaps;
- a memory that nobody touched is as it was; what was asked twice under one key happened once;
- documents are the files on the disk, each found by its own word;
- a backup holds what had been answered before it began; a restored library is its backup, and what came after.

What each process does follows from the seed; how they interleave is the machine's. With --folder a run that was stopped
goes on where it was, on PostgreSQL with the --library that it had. Prints JSON; ends with status 1, and leaves the
folder, at the first thing that is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import OctavoError
from octavo.memory import canonical_documents, memory_changes
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.folder_sync import sync
from octavo.memory.remember import remember
from octavo.model.memory import MemoryFilter, MemoryId
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.copy_backup_and_restore import migrate, restore, save_copy
from octavo.operations.database.requests import DbCheckRequest, DbPruneRequest
from octavo.operations.database.upgrade_repair_and_prune import db_check, db_prune
from octavo.retrieval.profiles_by_name import PROFILES

SETTINGS = {"embedding.provider": "hashing", "snapshots.threshold": 20}
WORDS = (
    "harbour",
    "boiler",
    "lamp",
    "valve",
    "cellar",
    "roof",
    "winter",
    "ledger",
    "anchor",
    "signal",
    "kettle",
    "mast",
)
REFUSALS = {"CONFLICT", "NOT_FOUND", "INDEX_BUSY", "NOT_INDEXED"}
NOTES, KEYS = 40, 4
WEIGHTS = {
    "remember": 16, "revise": 16, "version": 6, "archive": 6, "upsert": 8, "sync": 5, "edit": 16, "index": 4,
    "search": 6, "add": 2, "remove": 2, "prune": 2, "snapshot": 2, "work": 4, "backup": 1, "restore": 1,
}  # fmt: skip
SQLITE_ONLY = ("restore",)  # into a server, its own tools do it
Command = dict[str, Any]
State = dict[str, dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--burst", type=int, default=40, help="operations between two checks")
    parser.add_argument("--kills", type=float, default=0.5, help="processes killed in a burst, on average")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--library", help="an empty database, instead of one on a server that is started for it")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        work(chosen.library, chosen.folder)
        return
    folder = (chosen.folder or Path(tempfile.mkdtemp(prefix="octavo-"))).resolve()
    with ExitStack() as stack:
        library = str(folder / "library.db")
        if chosen.engine == "postgres":
            if chosen.library is None and (folder / "model.json").exists():
                parser.error("the run in that folder needs the --library it had")
            library = chosen.library or stack.enter_context(database())
        campaign = Campaign(folder, library, chosen.engine, chosen.seed, chosen.processes)
        problems = campaign.run(chosen.steps, chosen.burst, chosen.kills)
    print(json.dumps(campaign.report() | {"problems": problems}, indent=2))
    if problems:
        print(f"the library and its model are in {folder}", file=sys.stderr)
        sys.exit(1)


@contextmanager
def database() -> Iterator[str]:
    """A library on the PostgreSQL server of the tests."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "postgres"))
    from postgres_server import running

    with running() as server:
        yield server.database().secret


# What a process does.


def work(library: str, folder: Path) -> None:
    """Does what it reads from standard input, a line each, and answers each with a line."""
    with open_library(library, settings=SETTINGS) as engine:
        for line in sys.stdin:
            answer: dict[str, Any]
            try:
                with engine.store.patient(120.0):
                    answer = {"done": DOING[json.loads(line)["do"]](engine, folder, json.loads(line))}
            except OctavoError as error:
                answer = {"refused": error.code, "message": str(error)}
            except Exception:
                answer = {"failed": traceback.format_exc()}
            sys.stdout.write(json.dumps(answer) + "\n")
            sys.stdout.flush()


def _committed(engine: Engine, made: memory_changes.Committed) -> dict[str, Any]:
    """What was answered. The text of the version is read afterwards, when the library may be a restored one already."""
    memories = engine.memories
    versions = memories.repository.versions(memories.project, made.item.id)
    texts = {version.number: version.text_hash for version in versions}
    return {"item": made.item.id, "version": made.commit.version, "text": texts.get(made.commit.version)}


def _remember(engine: Engine, _: Path, command: Command) -> Any:
    by = Provenance("campaign", key=command["key"])
    return _committed(engine, remember(engine.memories, MemoryDraft(command["text"]), by).committed)


def _revise(engine: Engine, _: Path, command: Command) -> Any:
    by = Provenance("campaign", key=command["key"])
    return _committed(
        engine, memory_changes.revise(engine.memories, MemoryId(command["item"]), MemoryDraft(command["text"]), by)
    )


def _version(engine: Engine, _: Path, command: Command) -> Any:
    by = Provenance("campaign", key=command["key"])
    return _committed(engine, memory_changes.restore(engine.memories, MemoryId(command["item"]), command["number"], by))


def _archive(engine: Engine, _: Path, command: Command) -> Any:
    by = Provenance("campaign", key=command["key"])
    return _committed(engine, memory_changes.archive(engine.memories, MemoryId(command["item"]), by))


def _upsert(engine: Engine, _: Path, command: Command) -> Any:
    by = Provenance("campaign", key=command["key"])
    return _committed(
        engine, canonical_documents.upsert(engine.memories, command["name"], MemoryDraft(command["text"]), by)
    )


def _sync(engine: Engine, folder: Path, _: Command) -> Any:
    engine.memories.ensure_collection()
    report = sync(engine.memories, folder / "memories", accept_deletions=True)
    return {"problems": [str(problem) for problem in report.problems]}


def _edit(engine: Engine, folder: Path, command: Command) -> Any:
    path = folder / command["uri"]
    if command["text"] is None:
        path.unlink(missing_ok=True)
    else:
        path.write_text(command["text"], "utf-8")
    collection, _, uri = command["uri"].partition("/")
    if collection in {known.name for known in engine.collections()}:
        engine.writer.index_changes({collection: [uri]})
    return None


def _index(engine: Engine, _: Path, __: Command) -> Any:
    return len(engine.index(patience=60.0).collections)


def _search(engine: Engine, _: Path, command: Command) -> Any:
    return len(engine.search(Query(command["text"])).hits)


def _add(engine: Engine, folder: Path, _: Command) -> Any:
    engine.add_collection("extra", folder / "extra")
    engine.index(["extra"], patience=60.0)
    return None


def _remove(engine: Engine, _: Path, __: Command) -> Any:
    engine.library.remove_seconds = 0.01
    engine.remove_collection("extra")
    return None


def _prune(engine: Engine, _: Path, command: Command) -> Any:
    return asdict(db_prune(engine, DbPruneRequest(keep=command["keep"])))


def _snapshot(engine: Engine, _: Path, __: Command) -> Any:
    if engine.accelerator is None:
        return None
    engine.accelerator.upkeep.publish(NoProgress())
    return engine.accelerator.upkeep.recover()


def _work(engine: Engine, _: Path, __: Command) -> Any:
    engine.job_worker(f"worker {os.getpid()}", Jobs(lease_seconds=5.0)).run_due()
    return None


def _backup(engine: Engine, folder: Path, command: Command) -> Any:
    """A file that opens without a server; from PostgreSQL, by copying the library to one."""
    assert engine.location is not None
    if isinstance(engine.location, Path):
        save_copy(engine.location, folder / command["to"])
    else:
        migrate(engine.location, folder / command["to"])
    return command["to"]


def _restore(engine: Engine, folder: Path, command: Command) -> Any:
    assert isinstance(engine.location, Path)
    restore(folder / command["saved"], engine.location, replace=True)
    return None


DOING: dict[str, Callable[[Engine, Path, Command], Any]] = {
    "remember": _remember, "revise": _revise, "version": _version, "archive": _archive, "upsert": _upsert,
    "sync": _sync, "edit": _edit, "index": _index, "search": _search, "add": _add, "remove": _remove, "prune": _prune,
    "snapshot": _snapshot, "work": _work, "backup": _backup, "restore": _restore,
}  # fmt: skip


# What is asked of the processes, and what must be true afterwards.


@dataclass
class Process:
    """One that works, and is started again when it was killed."""

    command: list[str]
    running: subprocess.Popen[str] | None = None

    def do(self, commands: list[Command], kill_after: int | None, pause: float) -> list[dict[str, Any] | None]:
        """The answers; None for what was not answered because the process was killed after so many."""
        if self.running is None:
            self.running = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process = self.running
        assert process.stdin is not None and process.stdout is not None
        answers: list[dict[str, Any] | None] = []
        with suppress(BrokenPipeError):
            process.stdin.write("".join(json.dumps(command) + "\n" for command in commands))
            process.stdin.flush()
        while len(answers) < len(commands):
            if len(answers) == kill_after:
                time.sleep(pause)
                process.send_signal(signal.SIGKILL)
                kill_after = None
            line = process.stdout.readline()
            if not line.endswith("\n"):
                self.end()
                break
            answers.append(json.loads(line))
        return answers + [None] * (len(commands) - len(answers))

    def end(self) -> None:
        if self.running is not None:
            self.running.kill()
            self.running.communicate()
            self.running = None


@dataclass
class Model:
    """What the library has to hold. Kept in a file, so that a run can go on."""

    steps: int = 0
    bursts: int = 0
    state: State = field(default_factory=dict)
    """Every memory after the last burst: version, status, and the hash of every version's text."""
    keys: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Under which key which version was answered."""
    again: list[Command] = field(default_factory=list)
    """Asked of a process that was killed before it answered."""
    backups: dict[str, State] = field(default_factory=dict)
    edited: bool = False
    """Whether files of memories may differ from the library: they were edited, or the library was restored."""
    done: dict[str, int] = field(default_factory=dict)
    kills: int = 0
    refusals: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


class Campaign:
    def __init__(self, folder: Path, library: str, engine: str, seed: int, processes: int) -> None:
        self.folder, self.library, self.kind, self.seed = folder, library, engine, seed
        self.file = folder / "model.json"
        self.model = Model(**json.loads(self.file.read_text("utf-8"))) if self.file.exists() else Model()
        for name in ("notes", "extra", "memories"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        command = [sys.executable, __file__, "--work", "--library", library, "--folder", str(folder)]
        self.processes = [Process(command) for _ in range(processes)]

    def run(self, steps: int, burst: int, kills: float) -> list[str]:
        with open_library(self.library, create=True, settings=SETTINGS) as engine:
            engine.add_collection("notes", self.folder / "notes")
            _ = engine.memories
            if self.model.steps:
                self.go_on(engine)
            try:
                while self.model.steps < steps:
                    started = time.monotonic()
                    if problems := self.burst(engine, min(burst, steps - self.model.steps), kills):
                        return problems
                    self.model.seconds += time.monotonic() - started
                    self.file.write_text(json.dumps(asdict(self.model)), "utf-8")
                    print(f"{self.model.steps:6} steps, {len(self.model.state)} memories", file=sys.stderr, flush=True)
            finally:
                for process in self.processes:
                    process.end()
        return []

    def go_on(self, engine: Engine) -> None:
        """From the library as it is: the run may have been stopped in the middle of a burst."""
        self.model.state, self.model.keys, self.model.again, self.model.edited = state_of(engine), {}, [], True
        self.model.backups = {name: held for name, held in self.model.backups.items() if (self.folder / name).is_file()}

    def burst(self, engine: Engine, size: int, kills: float) -> list[str]:
        chance = random.Random(f"{self.seed} {self.model.bursts}")
        if chance.random() < 0.2:
            self.edit_a_memory(chance)
        commands = [*self.model.again, *(self.command(chance, number) for number in range(size))][:size]
        self.model.again = []
        chance.shuffle(commands)
        asked: list[list[Command]] = [commands[place :: len(self.processes)] for place in range(len(self.processes))]
        answered = self.asked(chance, asked, kills)
        self.model.steps += size
        self.model.bursts += 1
        pairs = [pair for those in zip(asked, answered, strict=True) for pair in zip(*those, strict=True)]
        problems = [answer["failed"] for _, answer in pairs if answer and "failed" in answer]
        problems += [
            f"{command['do']} was refused: {answer}"
            for command, answer in pairs
            if answer and answer.get("refused", "CONFLICT") not in REFUSALS
        ]
        try:
            problems += self.compared(engine, pairs)
        except Exception:
            problems.append(traceback.format_exc())
        self.count(pairs)
        if problems:
            problems.append(json.dumps(pairs))
        return problems

    def asked(self, chance: random.Random, asked: list[list[Command]], kills: float) -> list[list[Any]]:
        """All processes at once; each may be killed after any of its answers."""
        answered: list[list[Any]] = [[] for _ in asked]

        def run(place: int, kill_after: int | None, pause: float) -> None:
            answered[place] = self.processes[place].do(asked[place], kill_after, pause)

        threads = []
        for place, commands in enumerate(asked):
            kill_after = chance.randrange(len(commands)) if commands else None
            killed = chance.random() < kills / len(asked)
            self.model.kills += killed
            arguments = (place, kill_after if killed else None, chance.uniform(0.0, 0.05))
            threads.append(threading.Thread(target=run, args=arguments))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answered

    def command(self, chance: random.Random, number: int) -> Command:
        name = f"{self.seed}.{self.model.bursts}.{number}"
        kinds = {kind: weight for kind, weight in WEIGHTS.items() if self.kind == "sqlite" or kind not in SQLITE_ONLY}
        what = chance.choices(list(kinds), list(kinds.values()))[0]
        text = " ".join([*chance.choices(WORDS, k=14), f"fact{name.replace('.', 'x')}"])
        # Few memories are written to often: that is where writers meet.
        items = sorted(self.model.state)
        item = chance.choice(items[:: max(1, len(items) // 8)]) if items else None
        if what in ("revise", "version", "archive") and item is None:
            what = "remember"
        if what == "restore" and not self.model.backups:
            what = "backup"
        more: Command = {}
        if what == "edit":
            path = f"{chance.choice(('notes', 'notes', 'extra'))}/{chance.randrange(NOTES)}.md"
            gone = chance.random() < 0.2
            more = {"uri": path, "text": None if gone else f"# Note\n\n{text} word{name.replace('.', 'x')}\n"}
        elif what == "version":
            more = {"number": 1}
        elif what == "upsert":
            more = {"name": f"plan/{chance.randrange(KEYS)}"}
        elif what == "prune":
            more = {"keep": chance.choice((0, 1, None))}
        elif what == "backup":
            more = {"to": f"backup-{name}.db"}
        elif what == "restore":
            more = {"saved": chance.choice(sorted(self.model.backups))}
        return {"do": what, "key": name, "item": item, "text": text} | more

    def edit_a_memory(self, chance: random.Random) -> None:
        files = sorted((self.folder / "memories").glob("*.md"))
        if files:
            path = chance.choice(files)
            path.write_text(path.read_text("utf-8").rstrip() + f" {chance.choice(WORDS)}\n", "utf-8")
            self.model.edited = True

    def compared(self, engine: Engine, pairs: list[tuple[Command, Any]]) -> list[str]:
        model, done = self.model, {command["do"] for command, answer in pairs if answer is None or "done" in answer}
        restored = [command["saved"] for command, answer in pairs if command["do"] == "restore" and _may(answer)]
        now = state_of(engine)
        problems = [*gaps(now)]
        if restored:
            problems += self.after_restoring(now, restored, pairs)
        else:
            problems += self.promised(engine, now, pairs)
            if not (model.edited and "sync" in done):
                problems += self.untouched(now, pairs)
        problems += self.kept_in_backups(pairs, restored=bool(restored))
        model.state = now
        if restored:
            model.edited, model.keys, model.again = True, {}, []
        elif any(command["do"] == "sync" and answer and "done" in answer for command, answer in pairs):
            model.edited = False
        problems += self.documents(engine)
        problems += db_check(engine, DbCheckRequest(full=True), NoProgress()).problems
        return problems

    def promised(self, engine: Engine, now: State, pairs: list[tuple[Command, Any]]) -> list[str]:
        """What was answered is there, also what was answered long ago; what was not is asked again."""
        problems = []
        for command, answer in pairs:
            if answer is None and command["do"] in ("remember", "revise", "upsert"):
                self.model.again.append(command)
            if not answer or not isinstance(answer.get("done"), dict) or "version" not in answer["done"]:
                continue
            told = answer["done"]
            self.model.keys[command["key"]] = (told["item"], told["version"])
            kept = now.get(told["item"], {"texts": []})["texts"]
            if len(kept) < told["version"] or kept[told["version"] - 1] != told["text"]:
                problems.append(f"answered and lost: {told} for {command}")
        for name, before in self.model.state.items():
            after = now.get(name)
            if not begins(after, before):
                problems.append(f"{name} lost versions: {before} became {after}")
        memories = engine.memories
        for key, (item, version) in random.Random(self.model.bursts).sample(
            sorted(self.model.keys.items()), min(20, len(self.model.keys))
        ):
            found = memories.repository.commit_under(memories.project, key)
            if found is None or (found.item_id, found.version) != (item, version):
                problems.append(f"the key {key} forgot {item} {version}: {found}")
        return problems

    def untouched(self, now: State, pairs: list[tuple[Command, Any]]) -> list[str]:
        """Memories that no command named and no answer told of. A killed `remember` may have written one unnoticed."""
        touched = {command["item"] for command, _ in pairs if command["do"] in ("revise", "version", "archive")}
        touched |= {
            answer["done"]["item"]
            for _, answer in pairs
            if answer and isinstance(answer.get("done"), dict) and "item" in answer["done"]
        }
        touched |= {name for name, memory in now.items() if memory["canonical"]}
        spare = sum(answer is None and command["do"] == "remember" for command, answer in pairs)
        changed = [name for name, before in self.model.state.items() if name not in touched and now.get(name) != before]
        added = [name for name in now if name not in self.model.state and name not in touched]
        if len(changed) + len(added) > spare:
            return [
                f"changed by nobody: {[(name, self.model.state.get(name), now.get(name)) for name in changed + added]}"
            ]
        return []

    def after_restoring(self, now: State, saved: list[str], pairs: list[tuple[Command, Any]]) -> list[str]:
        """The backup is there, whole, or the state from before if the restoring process was killed too early."""
        bases = [self.model.backups[name] for name in saved]
        if all(answer is None for command, answer in pairs if command["do"] == "restore"):
            bases.append(self.model.state)
        lacking = [[name for name, before in base.items() if not begins(now.get(name), before)] for base in bases]
        if all(lacking):
            return [f"a restored library lacks versions of its backup: {lacking}"]
        return []

    def kept_in_backups(self, pairs: list[tuple[Command, Any]], *, restored: bool) -> list[str]:
        """Opens what was saved; only the last two are kept."""
        problems = []
        for command, answer in pairs:
            if command["do"] != "backup" or not answer or "done" not in answer:
                continue
            path = self.folder / command["to"]
            with open_library(path, settings=SETTINGS | {"snapshots.enabled": False}) as saved:
                held = state_of(saved)
                problems += [f"in {path.name}: {problem}" for problem in (*saved.store.check(), *gaps(held))]
            for name, before in self.model.state.items() if not restored else ():
                if not begins(held.get(name), before):
                    problems.append(f"{path.name} lacks {name}, which was there before it was begun")
            self.model.backups[path.name] = held
        for name in sorted(self.model.backups, key=lambda name: [int(part) for part in name[7:-3].split(".")])[:-2]:
            del self.model.backups[name]
        for pattern in ("backup-*", "library.db.before-restore*"):
            for path in self.folder.glob(pattern):
                if path.is_file() and path.name not in self.model.backups:
                    path.unlink()
        return problems

    def documents(self, engine: Engine) -> list[str]:
        """After one more run, documents are the files there are, and are found by what they say."""
        engine.index(patience=60.0)
        problems = []
        known = {collection.name for collection in engine.collections()}
        for name in sorted(known & {"notes", "extra"}):
            entries = engine.store.ledger.entries(engine.project.id, engine.collection(name).id)
            files = {path.name: path.read_text("utf-8") for path in (self.folder / name).iterdir()}
            if set(entries) != set(files):
                problems.append(f"{name} holds {sorted(set(entries) ^ set(files))} that differ from the disk")
                continue
            written = sorted(
                uri for uri, text in files.items() if text
            )  # an editor that was killed leaves an empty file
            for uri in random.Random(self.model.bursts).sample(written, min(3, len(written))):
                hits = engine.search(Query(files[uri].split()[-1]), PROFILES["lexical_only"]).hits
                if (name, uri) not in [(hit.collection, hit.citation.uri) for hit in hits]:
                    problems.append(f"{name}/{uri} is not found by {files[uri].split()[-1]}")
        if "notes" not in known:
            problems.append("the collection of notes is gone")
        if engine.store.leases.current(engine.project.id, "index") is not None:
            problems.append("a lease outlived its run")
        return problems

    def count(self, pairs: list[tuple[Command, Any]]) -> None:
        done = Counter(self.model.done)
        done.update(command["do"] for command, answer in pairs if answer and "done" in answer)
        self.model.done = dict(done)
        refusals = Counter(self.model.refusals)
        refusals.update(
            f"{command['do']}: {answer['refused']}" for command, answer in pairs if answer and "refused" in answer
        )
        self.model.refusals = dict(refusals)

    def report(self) -> dict[str, Any]:
        model = self.model
        return {
            "engine": self.kind,
            "seed": self.seed,
            "steps": model.steps,
            "bursts": model.bursts,
            "kills": model.kills,
            "done": dict(sorted(model.done.items())),
            "refused": dict(sorted(model.refusals.items())),
            "memories": len(model.state),
            "versions": sum(len(memory["texts"]) for memory in model.state.values()),
            "seconds": round(model.seconds, 1),
        }


def _may(answer: Any) -> bool:
    """Whether it happened, or may have."""
    return answer is None or "done" in answer


def state_of(engine: Engine) -> State:
    memories = engine.memories
    state: State = {}
    with engine.store.reading():
        for item in memories.repository.find(memories.project, MemoryFilter(status=None)):
            versions = memories.repository.versions(memories.project, item.id)
            state[item.id] = {
                "version": item.version,
                "status": item.status.value,
                "canonical": item.canonical_key,
                "texts": [version.text_hash for version in versions],
                "numbers": [version.number for version in versions],
            }
    return state


def begins(after: dict[str, Any] | None, before: dict[str, Any]) -> bool:
    """Whether a memory has all the versions that it had."""
    return after is not None and after["texts"][: len(before["texts"])] == before["texts"]


def gaps(state: State) -> Iterator[str]:
    for name, memory in state.items():
        if memory["numbers"] != list(range(1, memory["version"] + 1)):
            yield f"{name} is at version {memory['version']} and has {memory['numbers']}"


if __name__ == "__main__":
    main()
