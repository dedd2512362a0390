"""Language models in the configuration: by name, in the user's file alone, without keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.config.config_file_edits import set_value
from octavo.config.layered_config_loading import Loaded, load
from octavo.config.setting_descriptions import plain, written
from octavo.errors import ConfigurationError
from octavo.model.language_model_settings import ModelSettings

LOCAL = """
[llm.models.local]
provider = "openai"
url = "http://127.0.0.1:8080/v1"
model = "qwen3-4b"
[llm.roles]
answer = "local"
"""


def loaded(folder: Path, text: str) -> Loaded:
    file = folder / "config.toml"
    file.write_text(text, "utf-8")
    return load(environ={"OCTAVO_CONFIG": str(file)}, directory=folder)


def test_a_model_has_a_name_and_a_role(tmp_path: Path) -> None:
    found = loaded(tmp_path, LOCAL)
    assert found.config.llm.models == {
        "local": ModelSettings("openai", url="http://127.0.0.1:8080/v1", model="qwen3-4b")
    }
    assert found.config.llm.named_for("answer") == "local" and found.config.llm.named_for("rerank") is None
    assert found.origins["llm.models"] == str(tmp_path / "config.toml")
    shown = plain(found.config.llm.models)
    assert shown == {"local": {"provider": "openai", "url": "http://127.0.0.1:8080/v1", "model": "qwen3-4b"}}


def test_what_is_shown_is_what_a_file_may_say(tmp_path: Path) -> None:
    found = loaded(tmp_path, LOCAL).config
    shown = written(plain(found.llm.models))
    assert loaded(tmp_path, f'[llm]\nmodels = {shown}\nroles.answer = "local"\n').config == found


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('[llm.models.x]\nprovder = "openai"', "llm.models.x.provder", "did you mean provider"),
        ('[llm.models.x]\nprovider = "openai"\nkey = "sesame"', "llm.models.x.key", "key_variable"),
        ('[llm.models.x]\nprovider = "other"', "llm.models.x.provider", "describe"),
        ('[llm.models.x]\nmodel = "large"', "llm.models.x.provider", "describe"),
        ('[llm.roles]\nanswer = "x"', "names the model x, which is not there", "llm.models.x"),
        (LOCAL + 'rerank = ["local", "x"]', "names the model x, which is not there", "llm.models.x"),
        (LOCAL + 'rerank = ["local", "jina"]\n[llm.models.jina]\nprovider = "jina"', "jina among others", "alone"),
        (LOCAL.replace('answer = "local"', 'answer = "local,x"'), "names 2 models, and takes one", "rerank"),
        ('[llm.models.x]\nprovider = "openai"\nsize = "large"', "llm.models.x.size", "describe"),
        ('[llm.roles]\ncook = "x"', "llm.roles.cook, which is not a setting", "config show"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        loaded(tmp_path, text)
    assert message in error.value.message and hint in str(error.value.hint)


def test_several_models_may_rerank_by_a_list_or_by_a_variable(tmp_path: Path) -> None:
    two = LOCAL + "{}\n[llm.models.small]\nprovider = 'ollama'\nmodel = 'llama3.2:1b'\n"
    listed = loaded(tmp_path, two.format('rerank = ["local", "small"]')).config.llm
    assert listed.all_named_for("rerank") == ("local", "small") and listed.reranks_by_model
    (tmp_path / "config.toml").write_text(two.format(""), "utf-8")
    environ = {"OCTAVO_CONFIG": str(tmp_path / "config.toml"), "OCTAVO_LLM_ROLES_RERANK": "small,local"}
    assert load(environ=environ, directory=tmp_path).config.llm.all_named_for("rerank") == ("small", "local")


def test_a_name_or_several_are_set_by_command(tmp_path: Path) -> None:
    file, name = tmp_path / "config.toml", "llm.roles.rerank"
    file.write_text(LOCAL + "[llm.models.small]\nprovider = 'ollama'\nmodel = 'm'\n", "utf-8")
    environ = {"OCTAVO_CONFIG": str(file)}
    assert set_value(file, name, ["small"], environ, tmp_path).value == "small"
    assert set_value(file, name, ["small", "local"], environ, tmp_path).value == ["small", "local"]
    assert set_value(file, name, ['["local"]'], environ, tmp_path).value == ["local"]
    assert load(environ=environ, directory=tmp_path).config.llm.all_named_for("rerank") == ("local",)


def test_a_projects_file_names_no_model(tmp_path: Path) -> None:
    (tmp_path / ".octavo").mkdir()
    (tmp_path / ".octavo" / "config.toml").write_text(LOCAL, "utf-8")
    with pytest.raises(ConfigurationError, match="which a project file may not"):
        load(environ={}, directory=tmp_path)
