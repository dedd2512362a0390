"""Configuration files that change while a process lives."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.config.config_file_reloading import load_with_files
from octavo.config.layered_config_loading import for_folder, load
from octavo.errors import ConfigurationError


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.write_text("", "utf-8")
    monkeypatch.setenv("OCTAVO_CONFIG", str(path))
    monkeypatch.chdir(tmp_path)
    return path


def test_a_changed_file_is_read_again_once(file: Path) -> None:
    config, files = load_with_files({"watch.enabled": False})
    assert files.changed() is None
    file.write_text("[retrieval]\nlimit = 3\n", "utf-8")
    changed = files.changed()
    assert changed is not None
    assert (config.retrieval.limit, changed.retrieval.limit, changed.watch.enabled) == (10, 3, False)
    assert files.changed() is None


@pytest.mark.parametrize("broken", ["[retrieval\n", "[retrieval]\nlimit = 'many'\n", "[ingest]\nignore = 5\n"])
def test_what_cannot_be_read_changes_nothing_until_it_can(
    file: Path, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    _, files = load_with_files({})
    file.write_text(broken, "utf-8")
    assert files.changed() is None
    assert "the configuration stays as it was" in caplog.text
    file.write_text("[retrieval]\nlimit = 3\n", "utf-8")
    assert files.changed() is not None


def test_a_project_file_that_comes_is_seen(file: Path) -> None:
    _, files = load_with_files({})
    project = file.parent / ".octavo" / "config.toml"
    project.parent.mkdir()
    project.write_text("[ingest]\nignore = ['*.txt']\n[retrieval]\nlimit = 3\n", "utf-8")
    changed = files.changed()
    assert changed is not None and changed.retrieval.limit == 3
    assert for_folder(changed, file.parent / "below").ingest.ignore == ("*.txt",)


def test_a_pattern_alone_is_no_list_of_patterns(file: Path) -> None:
    file.write_text("[ingest]\nignore = '*.txt'\n", "utf-8")
    with pytest.raises(ConfigurationError, match=r"ingest\.ignore in .*config\.toml"):
        load()
