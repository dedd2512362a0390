"""What `deploy/compose.yaml` starts, as processes of this machine against a database of its own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
import urllib.request
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import yaml

from octavo.model.library_location import DatabaseUrl

ROOT = Path(__file__).parents[2]
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text("utf-8"))["services"]


def started(stack: ExitStack, arguments: list[str], where: dict[str, str]) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "octavo", *arguments],
        env=where,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    stack.callback(process.communicate)  # closes what it wrote to as well
    stack.callback(process.terminate)
    return process


def asked(address: str, token: str, operation: str, **arguments: Any) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{address}/v1/{operation}",
        json.dumps(arguments).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_the_services_of_the_compose_file_remember_and_find(empty: DatabaseUrl, tmp_path: Path) -> None:
    where = {**os.environ, "HOME": str(tmp_path), "OCTAVO_LIBRARY": empty.secret}
    (tmp_path / "token").write_text("a-token-of-the-team-that-is-long-enough", "utf-8")
    script = SERVICES["migrate"]["entrypoint"][2].replace("octavo", f"{shlex.quote(sys.executable)} -m octavo")
    subprocess.run(["sh", "-c", script], env=where, check=True, capture_output=True, timeout=120)

    with ExitStack() as stack:
        here = {"/run/secrets/token": str(tmp_path / "token"), "0.0.0.0": "127.0.0.1"}
        command = [here.get(part, part) for part in SERVICES["server"]["command"]]
        server = started(stack, [*command, "--port", "0"], where)
        for _ in range(SERVICES["worker"]["deploy"]["replicas"]):
            started(stack, SERVICES["worker"]["command"], where)
        assert server.stderr is not None
        address = next(word for line in server.stderr for word in line.split() if word.startswith("http://"))
        address = address.split("?")[0].rstrip("/")
        token = (tmp_path / "token").read_text("utf-8")
        asked(address, token, "remember", text="The spare key of the dome hangs behind the clock.")
        found = asked(address, token, "recall", query="where is the spare key")
        assert "behind the clock" in json.dumps(found)


def test_the_image_is_built_from_every_file_that_the_build_names() -> None:
    text = (ROOT / "deploy/Dockerfile").read_text("utf-8")
    copied = [word for line in text.splitlines() if line.startswith("COPY ") for word in line.split()[1:-1]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    built = project["tool"]["hatch"]["build"]
    hooks = ["hatch_build.py"] if "custom" in built["hooks"] else []
    wheel = built["targets"]["wheel"]
    needed = [
        project["project"]["readme"],
        *hooks,
        *wheel["packages"],
        *wheel["shared-data"],
        "LICENSE",
        "pyproject.toml",
    ]
    assert [name for name in needed if not any(name == one or name.startswith(f"{one}/") for one in copied)] == []


def test_units_and_services_run_the_same_commands() -> None:
    units = {path.stem.split("@")[0]: path.read_text("utf-8") for path in (ROOT / "deploy/systemd").glob("*.service")}
    for name, unit in units.items():
        line = next(line for line in unit.splitlines() if line.startswith("ExecStart="))
        assert SERVICES[name.removeprefix("octavo-")]["command"][0] in line.split()
