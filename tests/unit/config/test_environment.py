"""Settings from the environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from octavo.config.layered_config_loading import load, settings, variable
from octavo.config.schema import Config
from octavo.errors import ConfigurationError
from octavo.model.library_location import location


def test_a_variable_sets_what_it_names(tmp_path: Path) -> None:
    loaded = load(environ={"OCTAVO_RETRIEVAL_LIMIT": "3"}, directory=tmp_path)
    assert loaded.config.retrieval.limit == 3
    assert loaded.origins["retrieval.limit"] == "environment"


@pytest.mark.parametrize("name", [name for name, default in settings(Config()) if isinstance(default, tuple)])
def test_every_list_can_be_given_by_a_variable(name: str, tmp_path: Path) -> None:
    separator = os.pathsep if name == "ingest.ignore" else ","
    given = {
        "also_search": ("/one.db", "/two.db"),
        "writing.lint_off": ("orphan-note", "single-h1"),
        "embedding.client_ports": ("8080", "1234"),
        "embedding.providers": ("cuda", "cpu"),
        "reranking.providers": ("openvino", "cpu"),
    }.get(name, ("one=a{path}", "two"))
    loaded = load(environ={variable(name): f" {separator} ".join(given)}, directory=tmp_path)
    assert tuple(map(str, dict(settings(loaded.config))[name])) == given


def test_a_variable_that_is_nearly_a_setting_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="OCTAVO_RETREIVAL_LIMIT is not a setting") as told:
        load(environ={"OCTAVO_RETREIVAL_LIMIT": "3"}, directory=tmp_path)
    assert told.value.hint == "did you mean OCTAVO_RETRIEVAL_LIMIT?"


def test_a_variable_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    assert load(environ={"OCTAVO_VERSO": "1", "PATH": "/bin"}, directory=tmp_path).config.retrieval.limit == 10


def test_a_value_of_the_wrong_kind_is_named_with_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"retrieval\.limit in environment"):
        load(environ={"OCTAVO_RETRIEVAL_LIMIT": "many"}, directory=tmp_path)


@pytest.mark.parametrize("given", ["postgresql://someone@127.0.0.1:1/notes", "notes.db"])
def test_a_library_alone_is_all_that_need_be_said(tmp_path: Path, given: str) -> None:
    by_variable = load(environ={"OCTAVO_LIBRARY": given}, directory=tmp_path).config.library
    by_flag = load({"library": given}, environ={}, directory=tmp_path).config.library
    assert by_variable == by_flag == (tmp_path / given if given == "notes.db" else location(given))


@pytest.mark.parametrize("provider", ["bundled", "hashing"])
def test_a_model_that_its_provider_would_not_look_at_is_refused(provider: str, tmp_path: Path) -> None:
    flags = {"embedding.model": str(tmp_path)}
    with pytest.raises(ConfigurationError, match=f"embedding.provider is {provider}, which takes none"):
        load(flags, environ={"OCTAVO_EMBEDDING_PROVIDER": provider}, directory=tmp_path)
    assert (
        load(flags | {"embedding.provider": "onnx"}, environ={}, directory=tmp_path).config.embedding.model == tmp_path
    )
