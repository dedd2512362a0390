"""Runs Octavo inside of other frameworks, each installed from the package index into an environment of its own.

    ./dev integrations                      all of them
    ./dev integrations langchain haystack   these

An environment has the framework as `pip` finds it today, Octavo from this checkout and pytest. What runs in it are the
tests of `tests/interfaces/python/test_integrations.py`, among them the other side's own suite where it has one; a
framework's tests have its name in theirs. A framework that cannot be installed on this machine is named as such.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests/interfaces/python/test_integrations.py"
PACKAGES = {
    "langchain": ("octavo[langchain]", "langchain-tests"),
    "llamaindex": ("octavo[llama-index]",),
    "haystack": ("octavo[haystack]",),
    "openais_agents": ("octavo[openai-agents]",),
    "pydantic_ai": ("octavo[pydantic-ai]",),
    "smolagents": ("octavo[smolagents]",),
    "table": ("octavo[frames]", "polars"),
    "mteb": ("mteb",),
}
"""A word of the tests' names → what they need."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Run Octavo inside of other frameworks.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(PACKAGES)}; all where none is named")
    names = parser.parse_args().names or list(PACKAGES)
    if strangers := set(names) - set(PACKAGES):
        raise SystemExit(f"there is no {', '.join(sorted(strangers))}; there are: {', '.join(PACKAGES)}")
    well = True
    for name in names:
        passed, message = tried(name)
        well &= passed
        print(f"{name:15} {'ok' if passed else 'FAILED'}: {message}", flush=True)
    return 0 if well else 1


def tried(name: str) -> tuple[bool, str]:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="octavo-integration-") as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = next(
            path for path in (Path(folder, "bin/python"), Path(folder, "Scripts/python.exe")) if path.exists()
        )
        wanted = [package.replace("octavo[", f"{ROOT}[") for package in PACKAGES[name]]
        install = [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--prefer-binary"]
        installed = run([*install, str(ROOT), *wanted, "pytest", "hypothesis"])
        if installed.returncode:
            return False, f"it cannot be installed: {(installed.stderr.strip().splitlines() or ['?'])[-1]}"
        # Plugins of pytest that a framework brings along would change how our tests run.
        test = [str(python), "-m", "pytest", "-p", "no:cacheprovider", "-rs", "-k", name, str(TESTS)]
        done = run(test, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        counted = re.findall(r"\d+ (?:passed|failed|skipped|error)", run_summary(done.stdout))
    print(done.stdout + done.stderr if done.returncode else "", end="", file=sys.stderr)
    well = done.returncode == 0 and not any("skipped" in count for count in counted)
    return well, f"{', '.join(counted)} in {time.monotonic() - started:.0f} s"


def run(command: list[str], **where: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, text=True, capture_output=True, cwd=ROOT, env={**os.environ, **where})


def run_summary(output: str) -> str:
    return output.strip().rsplit("\n", 1)[-1]


if __name__ == "__main__":
    raise SystemExit(main())
