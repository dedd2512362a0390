"""Broken, fuzzed and malicious documents, and what becomes of the process that reads them: one table.

    python benchmarks/hostile_documents.py [--files FOLDER] [--copies N] [--state FILE] [--large] [--seed N]

| part | what is converted |
|---|---|
| fuzz | `--copies` truncated and mutated copies of every file below FOLDER; in archives, parts are mutated as well |
| bombs | archives and XML that unpack to gigabytes, in every format made of them |
| loops | PDFs whose pages, outlines, forms and tables refer to themselves |
| large | with `--large`: a PDF of `--pages` pages, and files of 1 GB, through a whole run of `octavo index` |

Everything runs in a network namespace without an interface where the system allows that (`unshare -rn`), with a home
and a temporary folder that must be empty at the end; conversions are cached in a folder of their own. What a state file
holds is not done again. Exit code 1 means a broken promise: this process died or grew, a limit did not hold, or a file
was left behind.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.sandbox.process_confinement import Limits
from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter
from octavo.model.converted_file import Converted
from octavo.model.file_formats import format_of

NAMESPACE = "OCTAVO_HOSTILE_NAMESPACE"  # set in the process that has no network
GROWTH = 60_000_000  # bytes by which the parent may grow: one answer on its way, and no more
INDEX_MEMORY = 1_000_000_000  # bytes of a whole run of `octavo index`, whose snapshot grows with its chunks
LIMITS = Limits(seconds=30.0, memory=1_000_000_000)
PAGES = 10_000
GIGABYTE = 1_000_000_000
Mutation = Callable[[random.Random, bytes], bytes]


def truncated(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def flipped(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice((1, 5, 50, 500))):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def cut_out(chance: random.Random, data: bytes) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + data[start + chance.randrange(1, max(2, len(data) // 10)) :]


def repeated(chance: random.Random, data: bytes) -> bytes:
    start = chance.randrange(len(data))
    piece = data[start : start + chance.randrange(1, 2_000)]
    return data[:start] + piece * chance.choice((2, 10, 100)) + data[start:]


def blanked(chance: random.Random, data: bytes) -> bytes:
    start = chance.randrange(len(data))
    piece = data[start : start + chance.randrange(1, 5_000)]
    return data[:start] + bytes([chance.choice((0, 32, 255))]) * len(piece) + data[start + len(piece) :]


def other_numbers(chance: random.Random, data: bytes) -> bytes:
    """Sizes and offsets are what readers believe: some digits become others."""
    changed = bytearray(data)
    digits = [at for at in range(len(changed)) if 48 <= changed[at] <= 57]
    for at in chance.sample(digits, min(len(digits), chance.choice((1, 5, 50)))):
        changed[at] = chance.choice(b"0123456789")
    return bytes(changed)


MUTATIONS: tuple[Mutation, ...] = (truncated, flipped, cut_out, repeated, blanked, other_numbers)


def mutated(name: str, number: int, seed: int, data: bytes) -> bytes:
    """Copy `number` of a file: the same for the same seed. Of an archive, every second copy has one part mutated."""
    chance = random.Random(f"{seed}:{name}:{number}")
    change = chance.choice(MUTATIONS)
    if number % 2 and data[:2] == b"PK":
        return with_part_mutated(chance, change, data)
    return change(chance, data) if data else data


def with_part_mutated(chance: random.Random, change: Mutation, data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        names = [entry.filename for entry in archive.infolist() if entry.file_size]
        hit = chance.choice(names)
        for name in names:
            part = archive.read(name)
            written.writestr(name, change(chance, part) if name == hit else part)
    return target.getvalue()


def zipped(parts: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def laughs(body: bytes) -> bytes:
    """XML whose entities are ten times the one before, nine times over."""
    entities = b'<!ENTITY e0 "ha">' + b"".join(
        b'<!ENTITY e%d "%b">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 10)
    )
    return b'<?xml version="1.0"?><!DOCTYPE article [%b]>%b' % (entities, body)


_PARTS = {
    "docx": "word/document.xml",
    "pptx": "ppt/presentation.xml",
    "xlsx": "xl/workbook.xml",
    "odt": "content.xml",
    "epub": "META-INF/container.xml",
}


def bombs(size: int) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """`size` bytes of zeros, or of one element again and again, in an archive of thousandths of that; entities."""
    for ending, part in _PARTS.items():
        yield f"zeros.{ending}", lambda part=part: zipped({part: b"\0" * size})
        yield f"nested.{ending}", lambda part=part: zipped({part: b"<a>" * (size // 3)})
        yield f"entities.{ending}", lambda part=part: zipped({part: laughs(b"<document>&e9;</document>")})
        yield f"parts.{ending}", lambda: zipped({f"{at}.xml": b"<a/>" for at in range(min(30_000, size // 10))})
    yield "many.html", lambda: b"<p>x</p>" * (size // 160)
    yield "nested.html", lambda: b"<div>" * (size // 100)
    yield "entities.xml", lambda: laughs(b"<article>&e9;</article>")
    yield "entities.drawio", lambda: laughs(b"<mxfile>&e9;</mxfile>")
    yield "nested.eml", lambda: b"Subject: x\nContent-Type: message/rfc822\n\n" * 5_000
    mixed = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n"
    yield "parts.eml", lambda: mixed + b"--b\n\nx\n" * (size // 1_000)
    yield "nested.canvas", lambda: b"[" * (size // 100)
    yield "wide.csv", lambda: b"," * (size // 100)
    yield "zeros.zip", lambda: zipped({"a.txt": b"\0" * size})
    yield "inner.zip", lambda: zipped({"a.zip": zipped({"b.zip": zipped({"c.txt": b"\0" * size})})})


def pdf_file(objects: dict[int, bytes]) -> bytes:
    written, places = bytearray(b"%PDF-1.5\n"), {}
    for number, body in objects.items():
        places[number] = len(written)
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table, count = len(written), max(objects) + 1
    written += b"xref\n0 %d\n" % count
    written += b"".join(
        b"%010d %05d %b \n" % (places.get(at, 0), 0, b"nf"[at not in places :][:1]) for at in range(count)
    )
    return bytes(written + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, table))


def loops() -> Iterator[tuple[str, bytes]]:
    """PDFs in which something leads back to itself."""
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /XObject << /F 5 0 R >> >> >>"
    )
    stream = b"<< /Length 4 >>\nstream\n/F Do\nendstream"
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 4 /Resources << /XObject << /F 5 0 R >> >> >>"
        b"\nstream\n/F Do\nendstream"
    )
    sound = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        3: page,
        4: stream,
        5: form,
    }
    yield "form.pdf", pdf_file(sound)
    yield "pages.pdf", pdf_file({**sound, 2: b"<< /Type /Pages /Count 9999 /Kids [2 0 R 2 0 R 3 0 R] >>"})
    yield "parent.pdf", pdf_file({**sound, 3: page.replace(b"/Parent 2", b"/Parent 3").replace(b"/MediaBox", b"/X")})
    outline = b"<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R >>"
    entry = b"<< /Title (x) /Parent 6 0 R /Next 7 0 R /First 7 0 R /Dest [3 0 R /XYZ 0 0 0] >>"
    yield "outline.pdf", pdf_file({**sound, 1: outline, 6: b"<< /First 7 0 R /Last 7 0 R /Count 1 >>", 7: entry})
    yield "length.pdf", pdf_file({**sound, 4: stream.replace(b"/Length 4", b"/Length 4 0 R")})
    yield "indirect.pdf", pdf_file({**sound, 4: b"4 0 R"})
    yield "previous.pdf", pdf_file(sound).replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev 9")
    yield "arrays.pdf", pdf_file({**sound, 4: b"[" * 200_000})
    yield "count.pdf", pdf_file({**sound, 2: b"<< /Type /Pages /Count 2000000000 /Kids [3 0 R] >>"})


def long_pdf(pages: int) -> bytes:
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%b] >>" % (
        pages,
        b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(pages)),
    )
    for number in range(pages):
        lines = b" ".join(
            b"(Line %d of page %d speaks of bees and honey in the valley) Tj 0 -14 Td" % (line, number + 1)
            for line in range(40)
        )
        drawn = b"BT /F1 11 Tf 72 740 Td %b ET" % lines
        objects[4 + 2 * number] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects[5 + 2 * number] = b"<< /Length %d >>\nstream\n%b\nendstream" % (len(drawn), drawn)
    return pdf_file(dict(sorted(objects.items())))


class Campaign:
    """Converts one document after the other, noting for each what came of it and how large this process is."""

    def __init__(self, state: Path, converter: SandboxedConverter, budget: float) -> None:
        self.until = time.monotonic() + budget
        self._state = state
        self._converter = converter
        self.rows = [json.loads(line) for line in state.read_text("utf-8").splitlines()] if state.exists() else []
        self._done = {(row["part"], row["name"]) for row in self.rows}
        self.first = memory()

    def convert(self, part: str, name: str, make: Callable[[], bytes]) -> None:
        if (part, name) in self._done or time.monotonic() > self.until:
            return
        data, started = make(), time.perf_counter()
        outcome = self._converter.convert(name, data)
        seconds = time.perf_counter() - started
        said = "converted" if isinstance(outcome, Converted) else f"refused: {outcome.reason}"
        size = len(data)
        del data, outcome
        self.record({"part": part, "name": name, "said": said, "s": round(seconds, 3), "size": size})

    def record(self, row: dict[str, object]) -> None:
        row["grown"] = max(0, memory() - self.first)
        self.rows.append(row)
        with self._state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def memory() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def indexed_whole(folder: Path, part: str, name: str, write: Callable[[Path], None], campaign: Campaign) -> None:
    """A run of `octavo index` over one file, and the most memory that its process took: the process that asks for
    conversions, and stores and embeds what comes back."""
    if any((row["part"], row["name"]) == (part, name) for row in campaign.rows):
        return
    if time.monotonic() > campaign.until:
        return
    place = folder / f"{part}-{name}"
    (place / "docs").mkdir(parents=True)
    write(place / "docs" / name)
    octavo = [sys.executable, "-m", "octavo", "--library", str(place / "library.db")]
    for arguments in (["init"], ["add", str(place / "docs"), "--name", "docs"]):
        subprocess.run([*octavo, *arguments], check=True, capture_output=True)
    started, most = time.perf_counter(), 0
    run = subprocess.Popen([*octavo, "index"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    while run.poll() is None:
        lines = Path(f"/proc/{run.pid}/status").read_text("ascii").splitlines()
        most = max([most, *(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))])
        time.sleep(0.05)
    assert run.stdout is not None
    told = run.stdout.read().splitlines()
    said = f"exit code {run.returncode}: {next((line for line in told if 'read' in line), '')}"
    seconds = round(time.perf_counter() - started, 1)
    size = sum(file.stat().st_size for file in (place / "docs").iterdir())
    shutil.rmtree(place)
    campaign.record({"part": part, "name": name, "said": said, "s": seconds, "size": size, "index_memory": most})


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"%PDF-1.5\n" if path.suffix == ".pdf" else b"a,b\n")
        file.truncate(GIGABYTE)


def table(rows: list[dict[str, object]]) -> Iterator[str]:
    yield "| part | documents | converted | refused | reader died | over time | slowest | parent |"
    yield "|---|---|---|---|---|---|---|---|"
    for part in dict.fromkeys(str(row["part"]) for row in rows):
        mine = [row for row in rows if row["part"] == part]
        kinds = Counter(_kind(str(row["said"])) for row in mine)
        slowest = max(float(str(row["s"])) for row in mine)
        grown = max(int(str(row["grown"])) for row in mine) // 1_000_000
        whole = max(int(str(row.get("index_memory", 0))) for row in mine) // 1_000_000
        parent = f"the whole run {whole} MB" if whole else f"grew by {grown} MB"
        counts = " | ".join(f"{kinds[kind]:,}" for kind in ("converted", "refused", "died", "late"))
        yield f"| {part} | {len(mine):,} | {counts} | {slowest:.1f} s | {parent} |"


def _kind(said: str) -> str:
    if "died of it" in said:
        return "died"
    if "takes longer" in said:
        return "late"
    return "refused" if said.startswith("refused") else "converted"


def broken_promises(rows: list[dict[str, object]], folder: Path) -> Iterator[str]:
    for row in rows:
        # In a whole run of `octavo index` another process asks; this one only wrote the file.
        if int(str(row["grown"])) > GROWTH and "index_memory" not in row:
            yield f"{row['part']} {row['name']}: this process grew by {row['grown']:,} bytes"
        if float(str(row["s"])) > 2 * LIMITS.seconds and "index_memory" not in row:
            yield f"{row['part']} {row['name']}: it took {row['s']} seconds"
        if int(str(row.get("index_memory", 0))) > INDEX_MEMORY:
            yield f"{row['part']} {row['name']}: `octavo index` took {row['index_memory']:,} bytes"
        if "index_memory" in row and not str(row["said"]).startswith("exit code 0"):
            yield f"{row['part']} {row['name']}: {row['said']}"
    for left in folder.rglob("*"):
        yield f"left behind: {left}"


def run(options: argparse.Namespace, folder: Path) -> int:
    unpacking = ConversionSettings(archives=True, archive_files=10_000, archive_bytes=100_000_000)
    converter = SandboxedConverter(replace(LIMITS, seconds=options.seconds), unpacking)
    campaign = Campaign(options.state, converter, options.budget)
    files = {
        path.relative_to(options.files).as_posix(): path for path in sorted(options.files.rglob("*")) if path.is_file()
    }
    for name, data in loops():
        campaign.convert("loops", name, lambda data=data: data)
    for name, make in bombs(options.bomb_bytes):
        campaign.convert("bombs", name, make)
    # Copy by copy and not file by file: an interrupted campaign has tried every format as often.
    for number in range(options.copies):
        for name, path in files.items():
            if format_of(name) is not None:
                copy = f"{number}/{name}"
                campaign.convert(
                    "fuzz",
                    copy,
                    lambda name=name, path=path, number=number: mutated(name, number, options.seed, path.read_bytes()),
                )
    converter.close()
    if options.large:
        indexed_whole(folder, "large", "pages.pdf", lambda path: _write(path, long_pdf(options.pages)), campaign)
        for name in ("huge.pdf", "huge.csv", "huge.txt"):
            indexed_whole(folder, "large", name, sparse, campaign)
    print("\n".join(table(campaign.rows)))
    broken = list(broken_promises(campaign.rows, folder))
    print(f"\nnetwork: {'a namespace without one' if os.environ.get(NAMESPACE) == '1' else 'not taken away'}")
    print("\n".join(broken) or "every promise held")
    return 1 if broken else 0


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, required=True, help="the folder whose documents are mutated")
    parser.add_argument("--copies", type=int, default=50, help="of every file")
    parser.add_argument("--bomb-bytes", type=int, default=GIGABYTE)
    parser.add_argument("--seconds", type=float, default=LIMITS.seconds, help="that one conversion may take")
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--pages", type=int, default=PAGES, help="of the long PDF")
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which it stops; resume later")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if NAMESPACE not in os.environ:
        unshare = shutil.which("unshare")
        apart = unshare is not None and subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode == 0
        with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
            home, cache = Path(folder, "home"), Path(folder, "cache")
            home.mkdir()
            places = {"HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(cache)}
            environ = {**os.environ, **places, NAMESPACE: "1" if apart else "0"}
            command = [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:]]
            return subprocess.run([*([str(unshare), "-rn"] if apart else []), *command], env=environ).returncode
    return run(options, Path(os.environ["HOME"]))


if __name__ == "__main__":
    sys.exit(main())
