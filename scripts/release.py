"""Builds what a release consists of, and tries it as a stranger would get it.

    ./dev release --dry-run            everything but the check of the tag
    ./dev release --tag v1.2.3         the same, for the version that the tag names

`dist/` gets a wheel for each platform, cross-compiled by `zig cc`, one without a library, the source distribution,
SHA256SUMS, sbom.json (CycloneDX, of the environment that the wheel makes), NOTES.md (the changelog's section), a
Homebrew formula and a conda-forge recipe. The wheel of this platform is installed into an empty environment, far from
the checkout, has to answer there, and the journeys of `tests/journeys` are walked with it.
Nothing is published: that is what `.github/workflows/release.yml` does.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from package_recipes import filled_recipes

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LARGEST_WHEEL = 45_000_000
SOURCE = "octavo/algorithms/compiled/word_tables.c"
# The platform in a wheel's name → what zig calls it, and what the machine code in its library begins with.
PLATFORMS = {
    "manylinux_2_17_x86_64": ("x86_64-linux-gnu.2.17", rb"\x7fELF\x02.{13}\x3e\x00"),
    "manylinux_2_17_aarch64": ("aarch64-linux-gnu.2.17", rb"\x7fELF\x02.{13}\xb7\x00"),
    "macosx_11_0_x86_64": ("x86_64-macos.11.0", rb"\xcf\xfa\xed\xfe\x07\x00\x00\x01"),
    "macosx_11_0_arm64": ("aarch64-macos.11.0", rb"\xcf\xfa\xed\xfe\x0c\x00\x00\x01"),
    "win_amd64": ("x86_64-windows-gnu", rb"MZ.{1,1000}PE\x00\x00\x64\x86"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Build a release and try it.")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--dry-run", action="store_true")
    which.add_argument("--tag")
    arguments = parser.parse_args()
    version = version_here()
    if arguments.tag and arguments.tag != f"v{version}":
        raise SystemExit(f"the tag is {arguments.tag} and src/octavo/version.py says {version}")
    problems = [*server_problems(version), *notes_problems(version, released=bool(arguments.tag))]
    shutil.rmtree(DIST, ignore_errors=True)
    run([sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)], OCTAVO_BUILD_PLATFORM="any")
    source = next(DIST.glob("*.tar.gz"))
    for platform_name, (target, _) in PLATFORMS.items():
        compiler = f"{shlex.quote(sys.executable)} -m ziglang cc -target {target}"
        build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(DIST), str(ROOT)]
        run(build, OCTAVO_BUILD_PLATFORM=platform_name, CC=compiler)
    wheels = sorted(DIST.glob("*.whl"))
    run([sys.executable, "-m", "twine", "check", "--strict", *map(str, wheels), str(source)])
    problems += [problem for wheel in wheels for problem in (*wheel_problems(wheel), *library_problems(wheel))]
    if len(wheels) != len(PLATFORMS) + 1:
        problems.append(f"{len(wheels)} wheels were made, not one for each platform and a pure one")
    wheel = wheel_here(wheels)
    with tempfile.TemporaryDirectory(prefix="octavo-release-") as folder:
        python = environment(Path(folder), wheel)
        problems += [*tried(Path(folder), python), *journey_problems(wheel)]
        run([sys.executable, "-m", "cyclonedx_py", "environment", str(python), "-o", str(DIST / "sbom.json")])
    (DIST / "NOTES.md").write_text(section(version) or section("Unreleased"), "utf-8")
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}" for file in (*wheels, source)]
    (DIST / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf-8")
    for name, text in filled_recipes(version, hashlib.sha256(source.read_bytes()).hexdigest()).items():
        (DIST / name).write_text(text, "utf-8")
    parts = json.loads((DIST / "sbom.json").read_text("utf-8")).get("components", [])
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(parts)} packages with it")
    for problem in problems:
        print(f"problem: {problem}", file=sys.stderr)
    return 1 if problems else 0


def run(command: Sequence[str], **where: str) -> str:
    done = subprocess.run(command, check=False, text=True, capture_output=True, env={**os.environ, **where})
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def version_here() -> str:
    found = re.search(r'__version__ = "(.+)"', (ROOT / "src/octavo/version.py").read_text("utf-8"))
    assert found is not None
    return found[1]


def section(version: str) -> str:
    """The changelog's part on a version, without its heading."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## \[|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() + "\n" if found else ""


def notes_problems(version: str, *, released: bool) -> list[str]:
    if section(version) or (not released and section("Unreleased")):
        return []
    return [f"CHANGELOG.md has no section [{version}]"]


def server_problems(version: str) -> list[str]:
    """The registry of MCP servers finds a package by the name in its README."""
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    problems = []
    if {server["version"], *(package["version"] for package in server["packages"])} != {version}:
        problems.append(f"server.json is not of {version}")
    if f"mcp-name: {server['name']}" not in (ROOT / "README.md").read_text("utf-8"):
        problems.append(f"README.md does not say `mcp-name: {server['name']}`")
    return problems


def wheel_problems(wheel: Path) -> list[str]:
    problems = []
    if wheel.stat().st_size > LARGEST_WHEEL:
        problems.append(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {LARGEST_WHEEL:,}")
    names = zipfile.ZipFile(wheel).namelist()
    models = {
        name.split("/")[3] for name in names if name.startswith("octavo/embedding/models/") and name.count("/") > 3
    }
    licensed = {name.split("/")[-2] for name in names if name.endswith("/LICENSE")}
    problems += [f"{model} is in the wheel without its licence" for model in sorted(models - licensed)]
    if not any(name.endswith("words.LICENSE") for name in names):
        problems.append("the word relations are in the wheel without their licence")
    return problems


def library_problems(wheel: Path) -> list[str]:
    """Whether the library is of the wheel's platform and exports what the source does."""
    platform_name = wheel.stem.split("-")[-1]
    with zipfile.ZipFile(wheel) as archive:
        libraries = [name for name in archive.namelist() if re.fullmatch(r".*/word_tables\.(so|dylib|dll)", name)]
        if platform_name == "any":
            return [f"{wheel.name} has a library" for _ in libraries]
        if len(libraries) != 1:
            return [f"{wheel.name} has {len(libraries)} libraries"]
        content = archive.read(libraries[0])
    problems = []
    if not re.match(PLATFORMS[platform_name][1], content, re.DOTALL):
        problems.append(f"the library in {wheel.name} is for another platform")
    exported = re.findall(
        r"^EXPORT [\w ]+?[ *](octavo_\w+)\(", (ROOT / "src" / SOURCE).read_text("utf-8"), re.MULTILINE
    )
    missing = [name for name in exported if name.encode() + b"\0" not in content]
    return problems + [f"the library in {wheel.name} does not export {name}" for name in missing]


def wheel_here(wheels: Sequence[Path]) -> Path:
    """The one that pip would take on this machine."""
    system = {"linux": "manylinux", "darwin": "macosx", "win32": "win"}.get(sys.platform, "")
    fitting = (
        wheel for wheel in wheels if re.search(rf"-{system}[0-9_]*_{platform.machine().lower()}\.whl$", wheel.name)
    )
    return next(fitting, next(wheel for wheel in wheels if wheel.name.endswith("-any.whl")))


def environment(folder: Path, wheel: Path) -> Path:
    """An environment with the wheel and what it asks for, and nothing of the checkout."""
    run([sys.executable, "-m", "venv", str(folder / "venv")])
    python = next(path for path in (folder / "venv/bin/python", folder / "venv/Scripts/python.exe") if path.exists())
    run(
        [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", str(wheel)]
    )
    return python


def tried(folder: Path, python: Path) -> list[str]:
    """What the first command of a stranger answers."""
    notes, home = folder / "notes", folder / "home"
    notes.mkdir()
    home.mkdir()
    (notes / "tea.md").write_text("# Tea\n\nGreen tea is steeped for two minutes at eighty degrees.\n", "utf-8")
    octavo = [str(python), "-m", "octavo"]
    where = {"HOME": str(home), "USERPROFILE": str(home), "PYTHONPATH": ""}
    answer = run([*octavo, "try", str(notes), "how long does green tea take", "--json"], **where)
    hits = json.loads(answer)["hits"]
    problems = [] if hits and hits[0]["uri"] == "tea.md" else ["the installed wheel does not find its first note"]
    if version_here() not in run([*octavo, "--version"], **where):
        problems.append("the installed wheel says another version")
    return problems


def journey_problems(wheel: Path) -> list[str]:
    """People's first hours, with this wheel in the place of one that the tests would build."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(ROOT / "tests/journeys")]
    done = subprocess.run(command, env={**os.environ, "OCTAVO_WHEEL": str(wheel)}, cwd=ROOT, check=False)
    return [f"the journeys with {wheel.name} ended with {done.returncode}"] if done.returncode else []


if __name__ == "__main__":
    raise SystemExit(main())
