"""The process that converts: whatever a document does to it costs that document and nothing else."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from octavo.converting.sandbox.process_confinement import Confinement, Limits
from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter, ScratchFolder, remove_abandoned
from octavo.model.converted_file import Converted, RefusedFile
from octavo.model.file_formats import FileFormat

Ask = Callable[[str], str]
READERS = str(Path(__file__).parents[2] / "support")
linux = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's limits are Linux's")


@pytest.fixture
def converter(monkeypatch: pytest.MonkeyPatch) -> Iterator[SandboxedConverter]:
    monkeypatch.setattr(
        "octavo.converting.sandbox.sandboxed_conversion.format_of",
        lambda uri: FileFormat("hostile", "hostile_reader:read"),
    )
    made = SandboxedConverter(Limits(seconds=20.0, memory=1_000_000_000, readable=(READERS,)))
    yield made
    made.close()


def told(converter: SandboxedConverter, wish: str) -> str:
    outcome = converter.convert("a.hostile", wish.encode())
    return outcome.text.strip() if isinstance(outcome, Converted) else f"refused: {outcome.reason}"


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ("crash", "the converter died of it (SIG"),
        ("leave 3", "the converter died of it (exit code 3)"),
        ("panic", "damaged: index out of bounds"),
    ],
)
def test_a_reader_that_dies_costs_one_file(converter: SandboxedConverter, wish: str, reason: str) -> None:
    assert reason in told(converter, wish)
    assert told(converter, "environment OCTAVO_NO_SUCH_NAME") == "unset", "the next file has a process again"


def test_a_reader_that_hangs_is_killed_at_its_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "octavo.converting.sandbox.sandboxed_conversion.format_of",
        lambda uri: FileFormat("hostile", "hostile_reader:read"),
    )
    converter = SandboxedConverter(Limits(seconds=0.5, readable=(READERS,)))
    assert told(converter, "environment OCTAVO_NO_SUCH_NAME") == "unset"
    assert told(converter, "hang").startswith("refused: it takes longer than 0 seconds to convert: ")
    converter.close()


def test_the_first_document_of_a_process_has_no_more_time_than_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "octavo.converting.sandbox.sandboxed_conversion.format_of",
        lambda uri: FileFormat("hostile", "hostile_reader:read"),
    )
    monkeypatch.setattr("octavo.converting.sandbox.sandboxed_conversion.STARTING", 3_600.0)
    converter = SandboxedConverter(Limits(seconds=0.5, readable=(READERS,)))
    assert told(converter, "hang").startswith("refused: it takes longer than 0 seconds to convert: ")
    converter.close()


def test_a_process_that_does_not_start_is_not_the_documents_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "octavo.converting.sandbox.sandboxed_conversion.format_of",
        lambda uri: FileFormat("hostile", "hostile_reader:read"),
    )
    monkeypatch.setattr("octavo.converting.sandbox.sandboxed_conversion.STARTING", 0.0)
    converter = SandboxedConverter(Limits(seconds=20.0, readable=(READERS,)))
    assert converter.convert("a.hostile", b"hang") == RefusedFile(
        "no converter could be started: it did not start in 0 seconds", passing=True
    )
    converter.close()


@linux
def test_memory_beyond_the_limit_is_refused(converter: SandboxedConverter) -> None:
    assert told(converter, "swell 3000000000") == "refused: reading it takes more than 1,000 MB of memory"


@linux
def test_a_reader_reaches_no_network(converter: SandboxedConverter) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert told(converter, f"connect {server.getsockname()[1]}") == "refused: PermissionError"


@linux
def test_a_reader_starts_no_program(converter: SandboxedConverter) -> None:
    assert told(converter, "start") != "started: 0"


def test_a_reader_writes_no_file(converter: SandboxedConverter, tmp_path: Path) -> None:
    assert told(converter, f"write {tmp_path / 'planted'}") == "refused: PermissionError"
    assert list(tmp_path.iterdir()) == []


FILE_CALLS = ("open", "create", "unlink", "rename", "truncate", "chmod", "link")
PROCESS_CALLS = ("kill", "ptrace", "vm_write", "vm_read", "memory", "memory_written", "environment", "limits")
NO = ("Operation not permitted", "Permission denied")


@linux
@pytest.mark.parametrize("call", FILE_CALLS)
def test_native_code_neither_reads_nor_changes_a_persons_files(
    converter: SandboxedConverter, tmp_path: Path, call: str
) -> None:
    note = tmp_path / "diary.md"
    note.write_text("private", "utf-8")
    if call == "open" and not converter.confinement().landlock:
        pytest.skip("this kernel has no Landlock, and the doctor says so")
    assert told(converter, f"raw {call} {note}") in NO
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("diary.md", "private")]


@linux
@pytest.mark.parametrize("call", PROCESS_CALLS)
def test_native_code_does_not_reach_into_the_process_that_started_it(converter: SandboxedConverter, call: str) -> None:
    assert told(converter, f"raw {call} {os.getpid()}") in NO


@linux
@pytest.mark.parametrize("call", ["fork", "vfork", "setsid", "socket"])
def test_native_code_starts_no_process_and_leaves_no_group(converter: SandboxedConverter, call: str) -> None:
    assert told(converter, f"raw {call}") in NO


@linux
@pytest.mark.parametrize("call", ["unlink", "rename", "truncate", "create"])
def test_where_programs_are_started_the_files_of_a_person_are_closed_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, call: str
) -> None:
    monkeypatch.setattr(
        "octavo.converting.sandbox.sandboxed_conversion.format_of",
        lambda uri: FileFormat("hostile", "hostile_reader:read"),
    )
    note = tmp_path / "diary.md"
    note.write_text("private", "utf-8")
    with closing(SandboxedConverter(Limits(seconds=20.0, programs=True, readable=(READERS,)))) as converter:
        if not converter.confinement().landlock:
            pytest.skip("this kernel has no Landlock, and the doctor says so")
        assert told(converter, f"raw {call} {note}") in NO
        assert told(converter, f"raw vm_write {os.getpid()}") in NO
        assert told(converter, f"raw memory {os.getpid()}") in NO
        assert told(converter, "start") == "started: 0"
    assert note.read_text("utf-8") == "private"


@linux
def test_what_holds_is_what_the_kernel_says(converter: SandboxedConverter) -> None:
    held = converter.confinement()
    assert held.system_calls
    assert {"memory", "files", "processes"} <= set(held.resources)
    assert "a filter of system calls" in str(held)
    assert "not filtered" in str(Confinement())


@linux
def test_without_landlock_the_memory_of_the_process_is_closed_by_itself() -> None:
    """In a process of its own, which stays as it makes itself: it cannot be dumped."""
    program = (
        "import ctypes, sys\n"
        "from octavo.converting.sandbox import process_confinement\n"
        "process_confinement.landlock_version = lambda kernel: 0\n"
        "process_confinement.close_memory()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "0\n"


@linux
def test_threads_that_come_and_go_leave_the_converter_alive(converter: SandboxedConverter) -> None:
    """The kernel ends a converter with the thread that started it."""
    heard: list[str] = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: heard.append(told(converter, "environment OCTAVO_NO_SUCH_NAME")))
        thread.start()
        thread.join()
    assert heard == ["unset"] * 3


def test_what_a_reader_prints_is_no_answer(converter: SandboxedConverter) -> None:
    assert told(converter, "print") == "printed"


def test_a_reader_sees_no_key(converter: SandboxedConverter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_OPENAI_API_KEY", "secret")
    assert told(converter, "environment OCTAVO_OPENAI_API_KEY") == "unset"


def test_a_converter_that_starts_no_programs_makes_no_folder(
    converter: SandboxedConverter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    told(converter, "print")
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_programs_is_gone_when_the_converter_is_closed(
    converter: SandboxedConverter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with closing(SandboxedConverter(Limits(seconds=20.0, programs=True, readable=(READERS,)))) as programs:
        told(programs, "print")
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


@linux
@pytest.mark.parametrize("programs", [False, True])
def test_a_process_that_is_killed_leaves_no_folder_behind_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, programs: bool
) -> None:
    """Of one that starts programs, the next removes it."""
    owner = f"""
import sys
from octavo.converting.sandbox.process_confinement import Confinement, Limits
from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter
from octavo.converting.sandbox.sandboxed_conversion import ScratchFolder, remove_abandoned
converter = SandboxedConverter(Limits(programs={programs}))
print(converter.convert("a.csv", b"a,b").text, flush=True)
sys.stdin.read()
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", owner]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    held = ScratchFolder()
    remove_abandoned()
    assert list(tmp_path.iterdir()) == [Path(held.path)], "what is in use stays"
    held.remove()
