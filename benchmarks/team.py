"""A team on PostgreSQL: servers and workers, clients that search, recall and remember, and kills of each kind.

    ./dev bench team --servers 3 --workers 4 --clients 50 --calm 300 --seconds 30

A primary and, with pg0's server, a replica that searches read from. Phases: calm; a worker is killed; a server is
killed; a server is asked to end while another takes over; the replica is killed; all connections of the database are
cut. What was killed is started again at once. A client that gets no answer tries another server, a write with the same
key. Afterwards every acknowledged memory is looked for, the queue is emptied, and the whole library is checked; then 1,
2 and 4 workers embed the same memories. Prints JSON. Everything runs on this machine: with two cores, latencies say how
a phase compares with the calm one, and nothing about a team's machines, and more workers embed no faster; what a vector
costs the processor is what there is to read.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "postgres"))

import psycopg
from postgres_server import Server, at, database_name, running

from octavo.engine.wiring import open_library
from octavo.model.job import JobState
from octavo.model.library_location import DatabaseUrl
from octavo.model.memory import MemoryId
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest

ROOT = Path(__file__).parents[1]
TOKEN = "a-token-of-the-team-that-is-long-enough"
TRIES = 40
MEMORIES = 200
QUESTIONS = ("when does the dome close", "polar alignment", "which eyepiece", "humidity", "how is the mirror cleaned")


@dataclass
class Phase:
    """What clients saw: seconds of each answered call by operation, and when calls were refused or went unanswered."""

    name: str
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[tuple[float, str]] = field(default_factory=list)
    """When, and what the client got instead of an answer."""
    given_up: int = 0
    event_at: float = 0.0
    """When something was killed."""

    def told(self) -> dict[str, Any]:
        figures = {
            name: {
                "calls": len(taken),
                "p50_ms": round(statistics.median(taken) * 1e3, 1),
                "p95_ms": round(sorted(taken)[int(len(taken) * 0.95)] * 1e3, 1),
            }
            for name, taken in sorted(self.seconds.items())
        }
        last = max((at - self.event_at for at, _ in self.errors), default=0.0)
        unanswered = {
            "errors": dict(Counter(reason for _, reason in self.errors)),
            "last_error_after_s": round(last, 1),
            "given_up": self.given_up,
        }
        return {"phase": self.name, **figures, **unanswered}


class Team:
    """The processes, and where the servers listen."""

    def __init__(self, environ: dict[str, str], token_file: Path) -> None:
        self._environ = environ
        self._token_file = token_file
        self.servers: list[tuple[subprocess.Popen[str], int]] = []
        self.workers: list[subprocess.Popen[str]] = []

    def start_server(self) -> None:
        process = self._started("serve", "--port", "0", "--no-watch", "--token-file", str(self._token_file))
        assert process.stderr is not None
        address = next(word for line in process.stderr for word in line.split() if word.startswith("http://"))
        # What a server logs later would fill the pipe, and it would wait for a reader for ever.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        self.servers.append((process, int(address.rpartition(":")[2])))

    def start_worker(self) -> None:
        self.workers.append(self._started("-q", "worker", "--name", f"worker-{len(self.workers)}"))

    def kill_server(self, number: int) -> None:
        process, _ = self.servers.pop(0)
        process.send_signal(number)
        self.start_server()

    def kill_worker(self) -> None:
        self.workers.pop(0).kill()
        self.start_worker()

    def end(self) -> None:
        for process in (*self.workers, *(process for process, _ in self.servers)):
            process.terminate()
        for process in (*self.workers, *(process for process, _ in self.servers)):
            process.wait(60)

    def _started(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "octavo", *arguments],
            env=self._environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if arguments[0] == "serve" else subprocess.DEVNULL,
            text=True,
        )


class Client:
    """Asks for as long as a phase lasts, and keeps what was acknowledged."""

    def __init__(self, team: Team, number: int) -> None:
        self._team = team
        self._number = number
        self._chance = random.Random(number)
        self._written = 0
        self.acknowledged: list[str] = []

    def run(self, phase: Phase, until: float) -> None:
        while time.monotonic() < until:
            draw = self._chance.random()
            if draw < 0.5:
                self._call(phase, "search", {"query": self._chance.choice(QUESTIONS), "limit": 5})
            elif draw < 0.8:
                self._call(phase, "recall", {"query": f"note {self._chance.randrange(100)} of the night", "limit": 5})
            else:
                self._written += 1
                key = f"client-{self._number}-{self._written}"
                text = f"Note {self._written} of the night by client {self._number}: the seeing was {draw:.6f}."
                answer = self._call(phase, "remember", {"text": text, "idempotency_key": key})
                if answer is not None:
                    self.acknowledged.append(answer["item"])

    def _call(self, phase: Phase, operation: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
        started = time.monotonic()
        for _ in range(TRIES):
            try:
                _, port = self._chance.choice(self._team.servers)  # none while the only one is started again
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
                connection.request("POST", f"/v1/{operation}", json.dumps(arguments), headers)
                answer = connection.getresponse()
                body = answer.read()
                connection.close()
                if answer.status == 200:
                    phase.seconds[operation].append(time.monotonic() - started)
                    found: dict[str, Any] = json.loads(body)
                    return found
                reason = f"{operation}: {answer.status} {body[:300].decode(errors='replace')}"
            except (OSError, http.client.HTTPException, IndexError) as error:
                reason = f"{operation}: {type(error).__name__}"
            phase.errors.append((time.monotonic(), reason))
            time.sleep(0.25)
        phase.given_up += 1
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase with a kill")
    parser.add_argument("--calm", type=float, help="seconds of the phase without one, if not the same")
    parser.add_argument("--embedding", type=int, nargs="*", default=[1, 2, 4], help="workers that embed the library")
    chosen = parser.parse_args()
    with running() as server, tempfile.TemporaryDirectory() as folder:
        url = server.database(empty=True).secret
        with open_library(url, create=True) as engine:
            engine.add_collection("vault", ROOT / "examples" / "vault")
            engine.index()
        token_file = Path(folder) / "token"
        token_file.write_text(TOKEN, "utf-8")
        token_file.chmod(0o600)
        environ = {**os.environ, "HOME": folder, "OCTAVO_LIBRARY": url, "OCTAVO_DAEMON_ENABLED": "false"}
        if server.program is not None:
            environ["OCTAVO_POSTGRES_READS"] = at(server.program.replica(), database_name(DatabaseUrl(url)))
        team = Team(environ | {"OCTAVO_WORK_IN_SERVER": "false"}, token_file)
        try:
            for _ in range(chosen.servers):
                team.start_server()
            for _ in range(chosen.workers):
                team.start_worker()
            clients = [Client(team, number) for number in range(chosen.clients)]
            events = {
                "calm": lambda: None,
                "a worker is killed": team.kill_worker,
                "a server is killed": lambda: team.kill_server(signal.SIGKILL),
                "a server is replaced": lambda: team.kill_server(signal.SIGTERM),
                "the replica is killed": lambda: replica_killed(server),
                "connections are cut": lambda: cut(url),
            }
            if server.program is None:
                del events["the replica is killed"]
            lasting = {"calm": chosen.calm or chosen.seconds}
            phases = [ran(name, event, clients, lasting.get(name, chosen.seconds)) for name, event in events.items()]
        finally:
            team.end()
        acknowledged = [item for client in clients for item in client.acknowledged]
        report = looked_for(url, acknowledged)
        embedding = [embedded(server, environ, workers) for workers in chosen.embedding]
    print(json.dumps({"phases": [phase.told() for phase in phases], **report, "embedding": embedding}, indent=2))


def ran(name: str, event: Any, clients: list[Client], seconds: float) -> Phase:
    phase, until = Phase(name), time.monotonic() + seconds
    threads = [threading.Thread(target=client.run, args=(phase, until)) for client in clients]
    for thread in threads:
        thread.start()
    time.sleep(seconds / 4)
    phase.event_at = time.monotonic()
    event()
    for thread in threads:
        thread.join()
    return phase


def cut(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )


def replica_killed(server: Server) -> None:
    assert server.program is not None
    server.program.tell("replica-stop")  # at once, as a crash
    server.program.tell("replica-start")


def embedded(server: Server, environ: dict[str, str], workers: int) -> dict[str, Any]:
    """Workers that end when the queue is empty give each of `MEMORIES` its vector."""
    url = server.database(empty=True).secret
    words = " ".join(path.read_text("utf-8") for path in sorted((ROOT / "examples" / "vault").rglob("*.md"))).split()
    with open_library(url, create=True) as engine:
        for number in range(MEMORIES):
            start = number * 37 % (len(words) - 60)
            remember(engine, RememberRequest(text=f"Note {number}: {' '.join(words[start : start + 60])}"))
        chunks = engine.freshness().pending
    begun, before = time.monotonic(), os.times()
    where = {**environ, "OCTAVO_LIBRARY": url}
    where.pop("OCTAVO_POSTGRES_READS", None)
    command = [sys.executable, "-m", "octavo", "-q", "worker", "--once"]
    processes = [subprocess.Popen(command, env=where, stdout=subprocess.DEVNULL) for _ in range(workers)]
    for process in processes:
        process.wait(600)
    wall, after = time.monotonic() - begun, os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    with open_library(url) as engine:
        left = engine.freshness().pending
    figures = {"workers": workers, "chunks": chunks - left, "left": left, "wall_s": round(wall, 1)}
    return {**figures, "cpu_s": round(spent, 1), "chunks_a_cpu_second": round((chunks - left) / spent, 1)}


def looked_for(url: str, acknowledged: list[str]) -> dict[str, Any]:
    """Does what is still queued, then reads every acknowledged memory and the whole library."""
    subprocess.run(
        [sys.executable, "-m", "octavo", "-q", "worker", "--once"],
        env={**os.environ, "OCTAVO_LIBRARY": url},
        stdout=subprocess.DEVNULL,
        timeout=300,
        check=False,
    )
    with open_library(url) as engine:
        project, memories = engine.project.id, engine.store.memories
        lost = [item for item in set(acknowledged) if memories.get(project, MemoryId(item)) is None]
        return {
            "acknowledged": len(acknowledged),
            "acknowledged_twice": len(acknowledged) - len(set(acknowledged)),
            "lost": len(lost),
            "dead_jobs": len(engine.store.outbox.jobs(project, [JobState.DEAD])),
            "without_vector": engine.freshness().pending,
            "check": list(engine.store.check()),
        }


if __name__ == "__main__":
    main()
