"""EdgeCoder §2.2 and §7.3: which files its owner excluded, and which hidden ones are wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.parsing.registry import extensions, parser_for
from octavo.sources.folder_scan import scan
from octavo.sources.ignore_rules import IgnoreRules


def indexed(root: Path, files: dict[str, str]) -> set[str]:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return {file.uri for file in scan(root, IgnoreRules(extensions(), max_bytes=10_000)).files}


def test_2_2_what_edgecoderignore_names_is_not_indexed(tmp_path: Path) -> None:
    files = {".edgecoderignore": "private/\n*.draft.md\n", "private/a.md": "a", "b.draft.md": "b", "c.md": "c"}
    assert indexed(tmp_path, files) == {"c.md"}


def test_2_2_an_edgecoderignore_further_down_counts_there(tmp_path: Path) -> None:
    files = {"src/.edgecoderignore": "gen.py\n", "src/gen.py": "x = 1", "src/a.py": "a = 1", "gen.py": "y = 1"}
    assert indexed(tmp_path, files) == {"src/a.py", "gen.py"}


def test_2_2_octavoignore_has_the_last_word_over_edgecoderignore(tmp_path: Path) -> None:
    files = {
        ".edgecoderignore": "notes/*\n",
        ".octavoignore": "!notes/kept.md\n",
        "notes/kept.md": "k",
        "notes/n.md": "n",
    }
    assert indexed(tmp_path, files) == {"notes/kept.md"}


@pytest.mark.parametrize("name", [".env.example", "app/.env.sample", ".env.template"])
def test_2_2_a_template_of_environment_variables_is_indexed(tmp_path: Path, name: str) -> None:
    assert indexed(tmp_path, {name: "API_URL=\n", ".env": "KEY=1\n", ".env.local": "KEY=2\n"}) == {name}
    assert parser_for(name) is not None


def test_2_2_a_template_is_brought_back_by_octavoignore(tmp_path: Path) -> None:
    files = {".gitignore": ".env*\n", ".octavoignore": "!.env.example\n", ".env.example": "API_URL=\n", ".env": "K=1\n"}
    assert indexed(tmp_path, files) == {".env.example"}
