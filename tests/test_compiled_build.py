"""What a wheel is where there is a compiler, and where there is none."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = "src/octavo/algorithms/compiled/word_tables.c"

pytestmark = pytest.mark.one_engine


def built(root: Path) -> dict[str, Any]:
    """What the hook adds to an editable wheel of a folder that holds the source alone."""
    (root / SOURCE).parent.mkdir(parents=True)
    shutil.copyfile(ROOT / SOURCE, root / SOURCE)
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["BuildHook"]
    data: dict[str, Any] = {"force_include": {}}
    hook(str(root), {}, None, None, "", "wheel").initialize("editable", data)
    return data


def test_a_wheel_is_a_pure_one_where_the_compiler_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "octavo-has-no-such-compiler")
    assert built(tmp_path) == {"force_include": {}}
    assert [path.name for path in (tmp_path / SOURCE).parent.iterdir()] == ["word_tables.c"]
    assert "no compiled word tables" in "".join(capsys.readouterr())


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_wheel_with_the_library_is_of_one_platform_and_of_every_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("OCTAVO_BUILD_PLATFORM", "linux_x86_64")
    data = built(tmp_path)
    assert (data["tag"], data["pure_python"]) == ("py3-none-linux_x86_64", False)
    assert sorted(path.name for path in (tmp_path / SOURCE).parent.iterdir()) == ["word_tables.c", "word_tables.so"]


def test_a_wheel_for_any_platform_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_BUILD_PLATFORM", "any")
    assert built(tmp_path) == {"force_include": {}}
