"""Packages beside the core: declared as entry points, found by name, imported when used."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.errors import ConfigurationError
from octavo.plugins import CONVERTERS, OURS, STAGES, folders, install_command, installed, load, names

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_list_of_our_own_plugins_is_what_the_project_declares() -> None:
    declared = {group: dict(entries) for group, entries in PROJECT["project"]["entry-points"].items()}
    assert declared == {group: dict(entries) for group, entries in OURS.items() if entries}


def test_every_package_is_in_the_wheel_and_is_checked() -> None:
    packages = {path.parent.name for path in (ROOT / "src").glob("*/__init__.py")}
    tools = PROJECT["tool"]
    assert {Path(name).name for name in tools["hatch"]["build"]["targets"]["wheel"]["packages"]} == packages
    assert set(tools["mypy"]["packages"]) == set(tools["importlinter"]["root_packages"]) == packages


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, entries in OURS.items() for name in entries])
def test_every_plugin_of_ours_can_be_loaded(group: str, name: str) -> None:
    assert load(group, name) is not None


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on Python's path, which holds what a test declares there."""
    monkeypatch.syspath_prepend(tmp_path)
    installed.cache_clear()
    yield tmp_path
    installed.cache_clear()


def declare(site: Path, distribution: str, entry_points: str) -> None:
    (site / f"{distribution}.dist-info").mkdir()
    (site / f"{distribution}.dist-info" / "entry_points.txt").write_text(entry_points, "utf-8")


def test_a_folder_of_notes_that_python_is_started_in_adds_no_plugin(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(site, "hostile-1.0", "[octavo.stages]\nhostile = hostile:Stage\n")
    monkeypatch.chdir(site)
    assert "hostile" not in names(STAGES)


def test_a_name_of_ours_stays_ours_and_of_two_strangers_the_first_counts(site: Path) -> None:
    ours = load(CONVERTERS, "rtf")
    declare(site, "aaa-1.0", "[octavo.converters]\nrtf = aaa:read\nodd = aaa:read\n")
    declare(site, "bbb-2.0", "[octavo.converters]\nodd = bbb:read\n")
    installed.cache_clear()
    assert load(CONVERTERS, "rtf") is ours
    with pytest.raises(ConfigurationError, match="the plugin aaa cannot be imported"):
        load(CONVERTERS, "odd")


@pytest.mark.parametrize("target", ["", ":", "..above:read", "not a name:read", "gone:read", "leaves:read"])
def test_whatever_an_entry_point_says_only_its_own_use_fails(site: Path, target: str) -> None:
    (site / "leaves.py").write_text("raise SystemExit(3)\n", "utf-8")
    declare(site, "odd-1.0", f"no section = before\n[octavo.converters]\nodd = {target}\n[octavo.unknown]\nx = y\n")
    with pytest.raises(ConfigurationError, match=r"pip uninstall odd|cannot be imported"):
        load(CONVERTERS, "odd")
    assert all(Path(folder).exists() for folder in folders(CONVERTERS))
    assert load(CONVERTERS, "rtf") is not None


def test_an_extra_that_is_missing_is_named_by_the_packages_it_brings() -> None:
    assert install_command("tui").startswith("pip install 'textual")
