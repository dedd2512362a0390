"""Holds the HTTP interface to its own OpenAPI document: schemathesis asks everything it can think of, odd things first.

    python scripts/fuzz_http.py [-n EXAMPLES] [OPTIONS OF `schemathesis run`]

A library is made from examples/vault and thrown away afterwards. Needs `pip install schemathesis`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

VAULT = Path(__file__).parents[1] / "examples" / "vault"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="octavo-fuzz-") as folder:
        environ = {
            **os.environ,
            "OCTAVO_LIBRARY": str(Path(folder) / "library.db"),
            "OCTAVO_EMBEDDING_PROVIDER": "hashing",
        }
        octavo = [sys.executable, "-m", "octavo"]
        for arguments in (["init"], ["add", str(VAULT), "--name", "observatory"], ["index"]):
            subprocess.run([*octavo, "-q", *arguments], env=environ, check=True)
        server = subprocess.Popen(
            [*octavo, "serve", "--no-token", "--port", "0"], env=environ, stderr=subprocess.PIPE, text=True
        )
        try:
            assert server.stderr is not None
            found = re.match(r"Serving (http://\S+) ", server.stderr.readline())
            assert found, server.stderr.read()
            return fuzz(found[1], sys.argv[1:], Path(folder))
        finally:
            server.terminate()
            server.communicate()


# Notes of a collection that is not writable are refused, whatever is sent.
# A text longer than it may be is mostly refused for the length of its request, before anybody reads it. And 502 is no
# failure of this server: it tells of an embedding service that is not there.
SETTINGS = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "502"]

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "5xx"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
"""


def fuzz(address: str, arguments: list[str], folder: Path) -> int:
    (folder / "schemathesis.toml").write_text(SETTINGS, "utf-8")
    program = "from schemathesis.cli import schemathesis; schemathesis()"
    command = [sys.executable, "-c", program, "run", f"{address}/openapi.json", *arguments]
    return subprocess.run(command, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
