"""MSRL §15: `.msrl/config.json` in a vault says how the vault is cut and what is skipped, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from octavo.config.layered_config_loading import load
from octavo.engine.wiring import open_library
from octavo.errors import ConfigurationError
from octavo.operations.library.collections import add
from octavo.operations.library.requests import AddRequest


def _vault(tmp_path: Path, said: dict[str, Any]) -> Path:
    vault = tmp_path / "vault"
    (vault / ".msrl").mkdir(parents=True)
    (vault / ".msrl" / "config.json").write_text(json.dumps(said), "utf-8")
    for name in ("one.md", "drafts/two.md"):
        (vault / name).parent.mkdir(exist_ok=True)
        (vault / name).write_text("# Note\n\n" + "A sentence about lamps. " * 60, "utf-8")
    return vault


def test_15_a_vaults_file_cuts_and_skips_its_own_files(tmp_path: Path) -> None:
    said = {"chunking": {"targetMaxTokens": 700}, "lifecycle": {"ignoredPatterns": ["drafts/**"]}, "logLevel": "debug"}
    vault = _vault(tmp_path, said)
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        add(engine, AddRequest(str(vault), name="vault"))
        engine.index()
        counts = engine.store.counts(engine.project.id)
        sizes = engine.recipe(engine.collection("vault").settings).sizes
    assert counts.documents == 1
    assert (sizes.target_min, sizes.target_max, sizes.hard_max, sizes.overlap) == (600, 700, 1200, 100)


def test_15_it_sets_limits_of_answers_for_who_works_in_the_vault_and_no_path_or_model(tmp_path: Path) -> None:
    said = {
        "vaultRoot": "/etc",
        "embedding": {"modelPath": "/tmp/evil.onnx"},
        "retrieval": {"defaultTopK": 4, "defaultMaxExcerptChars": 900},
    }
    loaded = load(environ={"OCTAVO_CONFIG": str(_empty(tmp_path))}, directory=_vault(tmp_path, said))
    assert (loaded.config.retrieval.limit, loaded.config.retrieval.max_excerpt_chars) == (4, 900)
    assert loaded.config.embedding.model is None and loaded.config.library is None


def test_15_a_project_file_beside_it_counts_alone_and_one_that_is_broken_is_named(tmp_path: Path) -> None:
    vault = _vault(tmp_path, {"retrieval": {"defaultTopK": 4}})
    (vault / ".octavo").mkdir()
    (vault / ".octavo" / "config.toml").write_text("retrieval.limit = 7\n", "utf-8")
    environ = {"OCTAVO_CONFIG": str(_empty(tmp_path))}
    assert load(environ=environ, directory=vault).config.retrieval.limit == 7
    (vault / ".octavo" / "config.toml").unlink()
    (vault / ".msrl" / "config.json").write_text("{", "utf-8")
    with pytest.raises(ConfigurationError, match=r"config\.json cannot be read"):
        load(environ=environ, directory=vault)


def _empty(tmp_path: Path) -> Path:
    (tmp_path / "user.toml").write_text("", "utf-8")
    return tmp_path / "user.toml"
