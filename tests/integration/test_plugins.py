"""A package of somebody else, installed and used; one that cannot be imported costs nobody else anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from octavo.engine.wiring import open_library
from octavo.errors import InvalidArgument
from octavo.model.embedding_profile import providers
from octavo.operations.embedding_profiles.list_set_fill_and_activate import profiles_set
from octavo.operations.embedding_profiles.requests import ProfilesSetRequest
from octavo.plugins import installed

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"
CARD = "BEGIN:VCARD\nFN:Ada Lovelace\nORG:The Observatory\nTEL:555 0143\nNOTE:knows the mill by heart\nEND:VCARD\n"
PROFILE = """
name = "mine"
[[recall]]
stage = "lexical"
[fuse]
stage = "single"
[[refine]]
stage = "prefer_folder"
folder = "attic"
factor = 10.0
"""
PROVIDER = """
from octavo.embedding.hashing_embedder import HashingEmbedder

def make(name, settings, key):
    return HashingEmbedder(settings.dimensions)
"""
MENDED = """
from octavo.converting.text_builder import TextBuilder

def read(name, data, settings):
    builder = TextBuilder()
    builder.paragraph(data.decode())
    return builder.converted("mended")
"""
BROKEN = """
[octavo.converters]
broken = broken_plugin:read
[octavo.stages]
broken_stage = broken_plugin:Stage
[octavo.importers]
broken = broken_plugin
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example, as pip installs it."""
    pytest.importorskip("hatchling", reason="the example is built with hatchling")
    target = tmp_path_factory.mktemp("site") / "site-packages"
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(PLUGIN)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A package whose module fails when it is imported."""
    folder = tmp_path / "site-packages"
    (folder / "broken_plugin-2.0.dist-info").mkdir(parents=True)
    (folder / "broken_plugin-2.0.dist-info" / "entry_points.txt").write_text(BROKEN, "utf-8")
    (folder / "broken_plugin.py").write_text("raise RuntimeError('made for another Octavo')\n", "utf-8")
    return folder


class Machine:
    """A user's folders, with packages on Python's path."""

    def __init__(self, home: Path, *packages: Path) -> None:
        self.home = home
        self.vault = home / "vault"
        for name in ("vault/attic", "vault/cellar", "config/octavo/profiles"):
            (home / name).mkdir(parents=True)
        path = os.pathsep.join(map(str, packages))
        folders = {f"XDG_{kind.upper()}_HOME": str(home / kind) for kind in ("config", "data", "cache")}
        settings = {"OCTAVO_LIBRARY": str(home / "library.db"), "OCTAVO_EMBEDDING_PROVIDER": "hashing"}
        self.environ = {**os.environ, **folders, **settings, "PYTHONPATH": path}

    def octavo(self, *arguments: str, exit_code: int = 0) -> Any:
        command = [sys.executable, "-m", "octavo", *arguments, "--json"]
        done = subprocess.run(command, cwd=self.home, env=self.environ, capture_output=True, encoding="utf-8")
        assert done.returncode == exit_code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def indexed(self, exit_code: int = 0) -> None:
        self.octavo("init")
        self.octavo("add", str(self.vault))
        self.octavo("index", exit_code=exit_code)

    def checks(self, exit_code: int = 0) -> dict[str, tuple[bool, str]]:
        told = self.octavo("doctor", exit_code=exit_code)["checks"]
        return {check["message"]: (check["ok"], check["name"]) for check in told if check["name"].startswith("plugin")}


def test_a_strangers_converter_stage_and_importer_work_once_installed(tmp_path: Path, packages: Path) -> None:
    machine = Machine(tmp_path, packages)
    (machine.vault / "ada.card").write_text(CARD, "utf-8")
    (machine.vault / "attic" / "mill.md").write_text("# Notes\n\nThe mill stands still, and much else does.\n", "utf-8")
    (machine.vault / "cellar" / "mill.md").write_text("# Mill\n\nThe mill, the mill.\n", "utf-8")
    (machine.home / "config" / "octavo" / "profiles" / "mine.toml").write_text(PROFILE, "utf-8")
    machine.indexed()

    hit = machine.octavo("search", "observatory")["hits"][0]
    assert (hit["uri"], hit["heading_path"]) == ("ada.card", ["Ada Lovelace"])
    assert "Works at: The Observatory" in hit["excerpt"]

    plain = [hit["uri"] for hit in machine.octavo("search", "mill", "--profile", "lexical_only")["hits"]]
    preferred = [hit["uri"] for hit in machine.octavo("search", "mill", "--profile", "mine")["hits"]]
    assert plain.index("cellar/mill.md") < plain.index("attic/mill.md")
    assert preferred[0] == "attic/mill.md"

    exported = machine.home / "exported"
    exported.mkdir()
    lines = [{"id": "one", "text": "A comet was seen.", "year": 1910}, {"id": "two", "text": "It came back."}]
    (exported / "records.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    told = machine.octavo("db", "migrate", "--from", str(exported), "--to", str(machine.home / "library.db"))
    assert [(row["collection"], row["records"], row["added"]) for row in told["collections"]] == [("exported", 2, 2)]
    assert machine.octavo("search", "comet")["hits"][0]["uri"] == "one"

    assert machine.checks() == {
        f"adds {added}": (True, "plugin octavo_example")
        for added in ("octavo.converters card", "octavo.stages prefer_folder", "octavo.importers json_lines")
    }


def test_a_plugin_that_cannot_be_imported_is_named_and_costs_nobody_else_anything(
    tmp_path: Path, packages: Path, broken: Path
) -> None:
    machine = Machine(tmp_path / "home", broken, packages)
    (machine.vault / "ada.card").write_text(CARD, "utf-8")
    (machine.vault / "odd.broken").write_text("anything", "utf-8")
    (machine.home / "config" / "octavo" / "profiles" / "mine.toml").write_text(PROFILE, "utf-8")
    machine.indexed(exit_code=6)
    (problem,) = machine.octavo("status", "--problems")["problems"]
    assert problem["uri"] == "odd.broken"
    assert problem["reason"] == "its reader broken_plugin:read cannot be imported: made for another Octavo"
    (broken / "broken_plugin.py").write_text(MENDED, "utf-8")
    machine.octavo("index")
    assert machine.octavo("status", "--problems")["problems"] == []
    (broken / "broken_plugin.py").write_text("raise RuntimeError('made for another Octavo')\n", "utf-8")
    hit = machine.octavo("search", "observatory")["hits"][0]
    assert hit["uri"] == "ada.card"
    assert machine.octavo("search", "observatory", "--profile", "mine")["hits"][0]["uri"] == "ada.card"
    exported = machine.home / "exported"
    exported.mkdir()
    (exported / "records.jsonl").write_text('{"id": "one", "text": "A comet was seen."}', "utf-8")
    machine.octavo("db", "migrate", "--from", str(exported), "--to", str(machine.home / "library.db"))

    told = machine.checks(exit_code=6)
    failed = [message for message, (ok, _) in told.items() if not ok]
    assert len(failed) == 3
    assert all("broken_plugin" in message and "made for another Octavo" in message for message in failed)
    assert sum(name == "plugin octavo_example" for _, name in told.values()) == 3

    (machine.home / "config" / "octavo" / "profiles" / "mine.toml").write_text(
        PROFILE.replace("prefer_folder", "broken_stage"), "utf-8"
    )
    refused = machine.octavo("search", "observatory", "--profile", "mine", exit_code=3)
    assert "broken_plugin" in refused["error"]["message"] and "pip uninstall" in refused["error"]["hint"]
    assert machine.octavo("search", "observatory")["hits"]


def test_a_plugins_provider_makes_a_profiles_vectors_for_a_person_and_for_no_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme-1.0.dist-info").mkdir()
    (tmp_path / "acme-1.0.dist-info" / "entry_points.txt").write_text("[octavo.providers]\nacme = acme:make\n", "utf-8")
    (tmp_path / "acme.py").write_text(PROVIDER, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    try:
        with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
            request = ProfilesSetRequest("mine", "acme", model="large", dimensions=32)
            with pytest.raises(InvalidArgument, match="a plugin decides where the library's texts are sent"):
                profiles_set(engine, request)
            made = profiles_set(engine, request, by_person=True)
            assert (made.profile.provider, made.profile.dimensions) == ("acme", 32)
            assert "acme" in providers()
    finally:
        installed.cache_clear()
