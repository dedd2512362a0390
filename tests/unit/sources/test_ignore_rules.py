"""What is left out: the built-in list, ignore files, a collection's own globs, and which of them wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.sources.folder_scan import scan
from octavo.sources.gitignore_patterns import from_globs
from octavo.sources.ignore_rules import IgnoreRules

EXTENSIONS = frozenset({".md", ".json", ".yaml", ".js", ".css", ".map", ".lock", ""})


def taken(root: Path, *paths: str, include: tuple[str, ...] = (), ignore: tuple[str, ...] = ()) -> set[str]:
    """The paths, created under `root`, that a scan lets through. A path may be given as `path: content`."""
    for path in paths:
        name, _, content = path.partition(": ")
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
    rules = IgnoreRules(EXTENSIONS, max_bytes=1000, include=include, ignore=ignore)
    return {file.uri for file in scan(root, rules).files}


@pytest.mark.parametrize(
    "folder", ["node_modules", "build", "dist", "__pycache__", "venv", ".obsidian", ".git", "Pods"]
)
def test_folders_on_the_built_in_list_are_left_out_at_any_depth(tmp_path: Path, folder: str) -> None:
    assert taken(tmp_path, f"{folder}/a.md", f"deep/{folder}/b.md", "c.md") == {"c.md"}


@pytest.mark.parametrize(
    ("folder", "beside"),
    [("target", "Cargo.toml"), ("vendor", "go.mod"), ("coverage", "package.json"), ("env", "setup.py")],
)
def test_an_ambiguous_folder_is_left_out_only_beside_its_tool(tmp_path: Path, folder: str, beside: str) -> None:
    paths = (f"notes/{folder}/a.md", f"project/{folder}/b.md", f"project/{beside}", "project/src/c.md")
    assert taken(tmp_path, *paths) & set(paths) - {f"project/{beside}"} == {f"notes/{folder}/a.md", "project/src/c.md"}


@pytest.mark.parametrize(
    "name", ["app.min.js", "app.min.css", "app.js.map", "poetry.lock", "package-lock.json", "pnpm-lock.yaml", "a.md~"]
)
def test_generated_files_are_left_out(tmp_path: Path, name: str) -> None:
    assert taken(tmp_path, name, "app.js", "lock.md") == {"app.js", "lock.md"}


def test_only_extensions_with_a_parser_are_taken(tmp_path: Path) -> None:
    assert taken(tmp_path, "A.MD", "b.exe", "c.png", "README", "no.") == {"A.MD", "README"}


def test_ignore_files_hold_for_their_folder_and_below(tmp_path: Path) -> None:
    paths = ("a.md", "sub/a.md", "sub/deep/a.md", "sub/deep/b.md", "other/a.md")
    assert taken(tmp_path, *paths, "sub/.gitignore: a.md", "sub/deep/.gitignore: !a.md") == {
        "a.md",
        "sub/deep/a.md",
        "sub/deep/b.md",
        "other/a.md",
    }


def test_octavoignore_outranks_gitignore_at_every_level(tmp_path: Path) -> None:
    assert taken(
        tmp_path, "a.md", "b.md", "sub/a.md", ".gitignore: a.md", ".octavoignore: !a.md\nb.md", "sub/.gitignore: a.md"
    ) == {"a.md", "sub/a.md"}


def test_the_collections_own_globs_outrank_every_ignore_file(tmp_path: Path) -> None:
    assert taken(tmp_path, "a.md", "b.md", ".octavoignore: a.md", ignore=("!a.md", "b.md")) == {"a.md"}


def test_include_narrows_to_what_it_matches(tmp_path: Path) -> None:
    paths = ("docs/a.md", "docs/deep/b.md", "src/c.md", "d.md", "docs/e.json")
    assert taken(tmp_path, *paths, include=("docs/**/*.md", "/d.md")) == {"docs/a.md", "docs/deep/b.md", "d.md"}
    assert taken(tmp_path, *paths, include=("docs",)) == {"docs/a.md", "docs/deep/b.md", "docs/e.json"}
    assert taken(tmp_path, *paths, include=("*.md", "!d.md")) == {"docs/a.md", "docs/deep/b.md", "src/c.md"}


def test_include_prunes_folders_that_cannot_hold_a_match(tmp_path: Path) -> None:
    taken(tmp_path, "docs/deep/a.md", "src/deep/b.md")
    seen = scan(tmp_path, IgnoreRules(EXTENSIONS, 1000, include=("docs/deep/*.md",)))
    assert seen.listed == {"", "docs", "docs/deep"}
    assert seen.gone("src/deep/b.md")


def test_include_does_not_override_ignore(tmp_path: Path) -> None:
    assert taken(tmp_path, "docs/a.md", "docs/b.md", include=("docs/",), ignore=("b.md",)) == {"docs/a.md"}


def test_a_wildcard_does_not_open_a_folder_on_the_built_in_list(tmp_path: Path) -> None:
    paths = ("build/a.md", "node_modules/b.md", ".hidden/c.md", "d.md")
    assert taken(tmp_path, *paths, include=("**/*.md",)) == {"d.md"}
    assert taken(tmp_path, *paths, ".octavoignore: *\n!*/\n!*.md") == {"d.md"}


def test_an_include_that_spells_a_name_opens_it(tmp_path: Path) -> None:
    paths = ("build/a.md", "build/node_modules/b.md", "dist/c.md", "d.md", ".github/e.md", ".github/.cache/f.md")
    assert taken(tmp_path, *paths, include=("build/**",)) == {"build/a.md"}
    assert taken(tmp_path, *paths, include=("build", "*.md")) == {"build/a.md", "d.md"}
    assert taken(tmp_path, *paths, include=(".github/",)) == {".github/e.md"}


def test_an_opened_folder_holds_only_what_the_spelling_glob_matches(tmp_path: Path) -> None:
    paths = ("build/api/a.md", "build/tmp/b.md", "c.md", "sub/build/api/d.md")
    assert taken(tmp_path, *paths, include=("build/api/**", "*.md")) == {"build/api/a.md", "c.md"}


def test_an_include_that_spells_a_git_ignored_folder_opens_it(tmp_path: Path) -> None:
    paths = ("private/a.md", "private/deep/b.md", "c.md", ".gitignore: private/\nprivate/**\n")
    assert taken(tmp_path, *paths) == {"c.md"}
    assert taken(tmp_path, *paths, include=("private/**",)) == {"private/a.md", "private/deep/b.md"}


def test_a_negation_addressed_to_octavo_opens_what_it_spells(tmp_path: Path) -> None:
    paths = ("build/a.md", "dist/b.md", ".github/c.md")
    assert taken(tmp_path, *paths, ".octavoignore: !build/\n!.github/") == {"build/a.md", ".github/c.md"}


def test_a_negation_addressed_to_git_does_not_open_the_built_in_list(tmp_path: Path) -> None:
    assert taken(tmp_path, "dist/a.md", ".gitignore: !dist/") == set()


def test_a_secret_stays_out_however_it_is_asked_for(tmp_path: Path) -> None:
    assert taken(tmp_path, "credentials.json", include=("credentials.json",)) == set()
    assert taken(tmp_path, "credentials.json", ".octavoignore: !credentials.json") == set()


def test_a_linked_ignore_file_is_not_obeyed(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("*.md")
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / ".gitignore").symlink_to(tmp_path / "outside")
    assert taken(vault, "a.md") == {"a.md"}


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 40 + "b", "a" * 255),
        ("?*" * 40 + "b", "a" * 255),
        ("**/a/" * 20 + "b", "a/" * 60 + "c"),
        ("**/*a*a*a*/" * 12 + "b", "aaaa/" * 60 + "c"),
        ("**a" * 40 + "/b", "a" * 255 + "/c"),
    ],
)
def test_a_hostile_pattern_is_answered_at_once(glob: str, path: str) -> None:
    encoded = path.encode()
    assert from_globs((glob,)).match(encoded, encoded.rpartition(b"/")[2], False) is None
