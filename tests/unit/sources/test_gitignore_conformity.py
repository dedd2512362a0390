"""Git is the reference: what `git check-ignore` says of a tree, a scan of it says too."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from long_runs import examples

from octavo.sources.folder_scan import scan
from octavo.sources.ignore_rules import IgnoreRules

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

FOLDERS = ("a", "b", "ab", "a b", "é")
FILES = ("x", "ax", "a.md", "ab.md", "B.md", "[x]", "éa.md", "x ", "!x", "#x", "a*", "x\\", "a-b", "7")
RULES = IgnoreRules(extensions=frozenset({"", ".md"}), max_bytes=1000)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    subprocess.run(["git", "init", "--quiet", "--template=", str(root)], check=True)
    folders = [Path(), *map(Path, FOLDERS), *(Path(a, b) for a in FOLDERS for b in ("a", "b", "ab"))]
    folders.append(Path("a/b/a/b"))
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
        for name in FILES:
            (root / folder / name).write_text("text\n")
    return root


@cache
def every_file(root: Path) -> frozenset[str]:
    return frozenset(
        str((Path(where) / name).relative_to(root))
        for where, _, names in os.walk(root)
        for name in names
        if ".git" not in Path(where).parts and not name.startswith(".")
    )


def ignored_by_git(root: Path) -> set[str]:
    done = subprocess.run(
        ["git", "-c", f"core.excludesFile={os.devnull}", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=root,
        input="\0".join(every_file(root)).encode(),
        capture_output=True,
        check=False,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
    )
    assert done.returncode in (0, 1), done.stderr
    return {path for path in done.stdout.decode().split("\0") if path}


def ignored_by_octavo(root: Path) -> frozenset[str]:
    return every_file(root) - {file.uri for file in scan(root, RULES).files}


def agree(root: Path, outer: str, inner: str) -> None:
    (root / ".gitignore").write_bytes(outer.encode())
    (root / "a" / ".gitignore").write_bytes(inner.encode())
    assert ignored_by_octavo(root) == ignored_by_git(root)


PIECES = (
    *("a", "b", "x", "ab", "a b", "é", "md", "7", "B"),
    *("*", "**", "***", "?", "/", "/", "**/", "/**", "/**/", "*.md", "."),
    *("[a-b]", "[!a]", "[^a-c]", "[]]", "[]-a]", "[a", "[[:alpha:]]", "[[:digit:][:upper:]]", "[[:nope:]]"),
    *(
        "[[:]",
        "[b-a]",
        "[[:x]",
        "[a\\]]",
        "[\\a-b]",
        "[/]",
        "[!/]",
        "[--0]",
        "[-a]",
        "[a-]",
        "]",
        "[",
        "\\",
        "\\*",
        "\\[",
        "\\/",
        "-",
    ),
    *("!", "#", " ", "\\ ", "\t"),
)
line = st.builds(
    lambda sign, pieces, end: sign + "".join(pieces) + end,
    st.sampled_from(("", "", "!", "\\!", "#", "\\#", "/")),
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.sampled_from(("", "", "/", " ", "  ", "\\ ", "\r")),
)
content = st.lists(line, max_size=6).map("\n".join)


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(outer=content, inner=content)
@example(outer="a**/b", inner="")
@example(outer="*\n!*/\n!*.md", inner="!x")
@example(outer="a/\n!a/b.md", inner="")
@example(outer="\ufeffx\r\n*.md\r\n", inner="!a.md")
@example(outer="**/a/**/b/**/x", inner="b/**")
@example(outer="/a/*\n!/a/b/", inner="")
@example(outer="**/a/**\\/b/**/x", inner="")
def test_any_gitignore_means_what_git_says(tree: Path, outer: str, inner: str) -> None:
    agree(tree, outer, inner)


@pytest.mark.parametrize(
    "lines",
    [
        ["x"],
        ["/x"],
        ["a/"],
        ["a/x"],
        ["/a/x", "!x"],
        ["*.md", "!a.md"],
        ["a", "!a/x"],
        ["a/*", "!a/x"],
        ["**/b"],
        ["a/**"],
        ["a/**/x"],
        ["**/"],
        ["/"],
        ["//"],
        ["!"],
        [""],
        ["*"],
        ["*", "!*/", "!*.md"],
        ["\\#x", "\\!x", "x\\ "],
        ["x   "],
        ["x\\"],
        ["x\\\\"],
        ["[[]x]"],
        ["?a.md"],
        ["??a.md"],
        ["[é]a.md"],
        ["é/"],
        ["a?b/x"],
        ["a*b/x"],
    ],
    ids=repr,
)
def test_the_cases_people_write_mean_what_git_says(tree: Path, lines: list[str]) -> None:
    agree(tree, "\n".join(lines), "")
    agree(tree, "", "\n".join(lines))
    agree(tree, "*.md\nb", "\n".join(f"!{line}" for line in lines) + "\n")
