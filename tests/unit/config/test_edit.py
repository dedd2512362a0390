"""Settings written into configuration files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.config.config_file_edits import replace, set_value, target, unset
from octavo.config.layered_config_loading import load, read_flat
from octavo.config.setting_descriptions import described, sections, template
from octavo.errors import ConfigurationError, InvalidArgument

WRITTEN = """\
# my settings
project = "home"   # not the default one

[retrieval]
# long lists tire me
limit = 5
profile = 'code'

[ingest]
ignore = [
    "*.bak",  # backups
    "drafts/",
]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "config" / "config.toml"
    path.parent.mkdir()
    path.write_text(WRITTEN, "utf-8")
    return path


def put(file: Path, name: str, *values: str) -> object:
    return set_value(file, name, values, {"OCTAVO_CONFIG": str(file)}, file.parent.parent).value


def test_a_value_is_replaced_where_it_stands(file: Path) -> None:
    assert put(file, "retrieval.limit", "7") == 7
    assert file.read_text("utf-8") == WRITTEN.replace("limit = 5", "limit = 7")


def test_a_new_setting_joins_its_section_and_everything_else_stays(file: Path) -> None:
    put(file, "retrieval.count_hits", "false")
    assert file.read_text("utf-8") == WRITTEN.replace("profile = 'code'\n", "profile = 'code'\ncount_hits = false\n")


def test_a_setting_above_all_sections_goes_above_them(file: Path) -> None:
    put(file, "library", "~/library.db")
    loaded = load(environ={"OCTAVO_CONFIG": str(file)}, directory=file.parent)
    assert loaded.config.library == Path.home() / "library.db"
    assert file.read_text("utf-8").index("library =") < file.read_text("utf-8").index("[retrieval]")


def test_a_list_takes_several_values(file: Path) -> None:
    assert put(file, "ingest.ignore", "*.tmp", "old/") == ["*.tmp", "old/"]
    assert read_flat(file.read_text("utf-8"), file)["ingest.ignore"] == ["*.tmp", "old/"]


def test_a_list_may_be_given_as_toml_writes_it(file: Path) -> None:
    assert put(file, "writing.collections", '["notes", "work"]') == ["notes", "work"]
    assert put(file, "writing.collections", "[]") == []
    assert put(file, "ingest.ignore", "[ab]*.md") == ["[ab]*.md"]


def test_a_list_of_numbers_takes_several_values(file: Path) -> None:
    assert put(file, "embedding.client_ports", "8080", "8081") == [8080, 8081]
    assert put(file, "embedding.client_ports", "[8080]") == [8080]


def test_several_values_for_a_single_one_are_refused(file: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"retrieval\.limit takes one value, not 2"):
        put(file, "retrieval.limit", "7", "8")


def test_a_file_that_is_not_there_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    put(file, "serve.port", "8000")
    assert file.read_text("utf-8") == "[serve]\nport = 8000\n"
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="links and modes are those of POSIX")
def test_a_link_stays_a_link_and_a_mode_stays(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "linked.toml"
    link.symlink_to(file)
    file.chmod(0o640)
    put(link, "retrieval.limit", "7")
    assert link.is_symlink() and "limit = 7" in file.read_text("utf-8")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert sorted(path.name for path in file.parent.iterdir()) == ["config.toml"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("retreival.limit", "7", "retreival.limit is not a setting"),
        ("retrieval.limit", "0", r"retrieval\.limit in the new value: Input should be greater than or equal to 1"),
        ("retrieval.limit", "many", r"retrieval\.limit in the new value"),
        ("embedding.model", "model", "embedding.provider is bundled, which takes none"),
    ],
)
def test_what_could_not_be_loaded_is_not_written(file: Path, name: str, value: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        put(file, name, value)
    assert file.read_text("utf-8") == WRITTEN


def test_a_project_file_is_refused_what_it_may_not_set(tmp_path: Path) -> None:
    project = target({}, tmp_path, project=True)
    environ = {"OCTAVO_CONFIG": str(tmp_path / "user.toml")}
    Path(environ["OCTAVO_CONFIG"]).touch()
    with pytest.raises(ConfigurationError, match=r"sets serve\.port, which a project file may not"):
        set_value(project, "serve.port", ["80"], environ, tmp_path)
    assert not project.exists()
    set_value(project, "retrieval.limit", ["3"], environ, tmp_path)
    assert load(environ=environ, directory=tmp_path).config.retrieval.limit == 3


def test_it_is_said_when_something_else_counts_before_the_file(file: Path) -> None:
    environ = {"OCTAVO_CONFIG": str(file), "OCTAVO_RETRIEVAL_LIMIT": "9"}
    assert set_value(file, "retrieval.limit", ["7"], environ, file.parent).overridden == "OCTAVO_RETRIEVAL_LIMIT"


def test_a_password_is_written_and_not_shown(file: Path) -> None:
    assert put(file, "library", "postgresql://me:secret@db/notes") == "postgresql://me@db/notes"
    assert "me:secret@db" in file.read_text("utf-8")


def test_taking_a_setting_out_leaves_the_rest(file: Path) -> None:
    environ = {"OCTAVO_CONFIG": str(file)}
    assert unset(file, "retrieval.limit", environ, file.parent).value is None
    assert "limit" not in read_flat(file.read_text("utf-8"), file)
    assert unset(file, "watch.polling", environ, file.parent).value is None
    assert "# backups" in file.read_text("utf-8")


def test_a_broken_file_is_not_replaced_by_a_broken_one(file: Path) -> None:
    environ = {"OCTAVO_CONFIG": str(file)}
    with pytest.raises(ConfigurationError, match=r"config\.toml cannot be read"):
        replace(file, "[retrieval", environ, file.parent)
    assert file.read_text("utf-8") == WRITTEN
    replace(file, "[retrieval]\nlimit = 2\n", environ, file.parent)
    assert load(environ=environ, directory=file.parent).config.retrieval.limit == 2


def test_every_setting_has_a_meaning_and_the_template_has_every_setting(tmp_path: Path) -> None:
    assert all(setting.meaning.endswith(".") and setting.type for setting in described().values())
    assert all(f"# {name.rpartition('.')[2]} = " in template() for name in described())
    file = tmp_path / "config.toml"
    file.write_text(template(), "utf-8")
    assert load(environ={"OCTAVO_CONFIG": str(file)}, directory=tmp_path) == load(environ={}, directory=tmp_path)


@settings(deadline=None)
@given(patterns=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=4))
def test_whatever_a_list_holds_is_read_back_the_same(
    patterns: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("config") / "config.toml"
    file.write_text(WRITTEN, "utf-8")
    put(file, "ingest.ignore", *patterns)
    assert read_flat(file.read_text("utf-8"), file)["ingest.ignore"] == patterns
    assert read_flat(file.read_text("utf-8"), file)["project"] == "home"


def test_every_section_and_setting_says_what_it_is_for() -> None:
    assert [section.name for section in sections() if not section.meaning] == []
    assert [setting.name for setting in described().values() if not setting.meaning] == []
