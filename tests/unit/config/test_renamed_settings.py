"""A setting that is called otherwise now: its former name is understood for a while, and says so."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from octavo.config.layered_config_loading import load
from octavo.config.setting_name_aliases import RENAMED
from octavo.errors import ConfigurationError


@pytest.fixture(autouse=True)
def renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RENAMED, "retrieval.top_hits", "retrieval.limit")


def test_a_former_name_in_a_file_counts_and_names_its_successor(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[retrieval]\ntop_hits = 3\n", "utf-8")
    with caplog.at_level(logging.WARNING, "octavo"):
        loaded = load(environ={"OCTAVO_CONFIG": str(file)}, directory=tmp_path)
    assert (loaded.config.retrieval.limit, loaded.origins["retrieval.limit"]) == (3, str(file))
    assert [record.message for record in caplog.records] == [
        f"{file} sets retrieval.top_hits, which is called retrieval.limit now and will be refused under its former name"
    ]


def test_a_former_name_counts_in_a_projects_file_and_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".octavo").mkdir()
    (tmp_path / ".octavo/config.toml").write_text("[retrieval]\ntop_hits = 4\n", "utf-8")
    assert load(environ={}, directory=tmp_path).config.retrieval.limit == 4
    assert load(environ={"OCTAVO_RETRIEVAL_TOP_HITS": "5"}, directory=tmp_path).config.retrieval.limit == 5


def test_of_both_names_in_one_file_the_present_one_counts(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[retrieval]\nlimit = 6\ntop_hits = 3\n", "utf-8")
    assert load(environ={"OCTAVO_CONFIG": str(file)}, directory=tmp_path).config.retrieval.limit == 6


def test_a_name_that_is_gone_for_good_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RENAMED, "retrieval.top_hits")
    file = tmp_path / "config.toml"
    file.write_text("[retrieval]\ntop_hits = 3\n", "utf-8")
    with pytest.raises(ConfigurationError, match=r"sets retrieval\.top_hits, which is not a setting"):
        load(environ={"OCTAVO_CONFIG": str(file)}, directory=tmp_path)
