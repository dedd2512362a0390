"""Language models in the configuration: by name, in the user's file alone, without keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.config.describe import plain, written
from octavo.config.load import Loaded, load
from octavo.errors import ConfigurationError
from octavo.model.model_settings import ModelSettings

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
        ('[llm.roles]\ncook = "x"', "llm.roles.cook, which is not a setting", "did you mean"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        loaded(tmp_path, text)
    assert message in error.value.message and hint in str(error.value.hint)


def test_a_projects_file_names_no_model(tmp_path: Path) -> None:
    (tmp_path / ".octavo").mkdir()
    (tmp_path / ".octavo" / "config.toml").write_text(LOCAL, "utf-8")
    with pytest.raises(ConfigurationError, match="which a project file may not"):
        load(environ={}, directory=tmp_path)
