"""The documentation says what is: folders, modules, links, and the extras it tells people to install."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from octavo.interfaces.cli.main import cli
from octavo.model.document import LinkKind, Source
from octavo.model.ids import DocumentId
from octavo.parsing.markdown.parser import MarkdownParser

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "octavo"
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_every_package_has_a_section_headed_by_a_question() -> None:
    sections = dict(re.findall(r"^### `(\w+)/`: (.*)$", ARCHITECTURE, re.MULTILINE))
    beside = {path.parent.name for path in PACKAGE.parent.glob("octavo_*/__init__.py")}
    assert set(sections) == {path.parent.name for path in PACKAGE.glob("*/__init__.py")} | beside
    assert all(question.endswith("?") for question in sections.values())


def in_the_house(name: str) -> bool:
    """Whether `folder.module` or `folder.module.function` leads to a module."""
    parts = name.split(".")
    places = [PACKAGE.joinpath(*parts[:count]) for count in (len(parts), len(parts) - 1)]
    return places[0].is_dir() or any(place.with_suffix(".py").exists() for place in places)


def test_every_module_that_the_architecture_names_exists() -> None:
    named = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", ARCHITECTURE))
    drawn = re.findall(r"^  [│▼] ([a-z_]+(?:\.[a-z_]+)+)", ARCHITECTURE, re.MULTILINE)
    assert {name for name in drawn if not in_the_house(name)} == set()
    assert {name for name in named if not any((place / name).exists() for place in (PACKAGE, PACKAGE.parent))} == set()


def test_the_glossary_has_a_word_once() -> None:
    words = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert len(words) == len(set(words)) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    text = page.read_text("utf-8")
    document = MarkdownParser().parse(Source(DocumentId("page"), page.name, text, modified_at=0.0))
    written = (unquote(link.target) for link in document.links if link.kind is LinkKind.MARKDOWN)
    targets = {target.partition("#")[0] for target in written if "://" not in target}
    assert {target for target in targets if target and not (page.parent / target).exists()} == set()


def test_every_picture_is_on_a_page_with_words_for_whoever_does_not_see_it() -> None:
    shown: dict[Path, str] = {}
    for page in PAGES:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text("utf-8")):
            shown[(page.parent / target).resolve()] = words
    pictures = {path for path in (ROOT / "docs" / "pictures").iterdir() if path.is_file()}
    assert pictures <= shown.keys()
    assert {path.name for path in pictures if len(shown[path].split()) < 5} == set()
    assert sum(path.stat().st_size for path in pictures) < 1_000_000
    # An SVG that is opened by itself may fetch; these may not.
    drawings = {path.name: path.read_text("utf-8") for path in pictures if path.suffix == ".svg"}
    assert {name for name, drawn in drawings.items() if re.search(r"""url\(["']?http|href=["']http""", drawn)} == set()


def typed(page: Path) -> Iterator[str]:
    """Every call of the command on a page: in blocks, and in a line of text from its first word on."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```(?:console|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line.removeprefix("$ ") for block in blocks for line in block.splitlines()]
    for line in [*lines, *(" ".join(span.split()) for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", prose))]:
        calls = re.findall(r"(?:^|&& )(?:[A-Z_]+=\S+ )*(octavo [^|&]*)", line)
        # Two blanks or a hash begin what is said about the command.
        yield from (re.split(r"\s{2,}|\s#", call)[0] for call in calls)


def wrong_with(call: str) -> str | None:
    words = re.sub(r"\"[^\"]*\"|'[^']*'", "TEXT", call).split()[1:]
    command: click.Command = cli
    context = click.Context(cli)
    while words and isinstance(command, click.Group):
        if words[0].startswith("-"):
            option = next((option for option in command.params if words[0] in option.opts), None)
            flag = isinstance(option, click.Option) and option.is_flag
            words = words[1 if option is None or flag else 2 :]
            continue
        inner = command.get_command(context, words[0])
        if inner is None:
            return f"{words[0]} is not a command"
        command, words = inner, words[1:]
    options = [*cli.params, *command.params]
    known = {"--help", *(name for option in options for name in (*option.opts, *option.secondary_opts))}
    unknown = [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]
    return f"{', '.join(unknown)}: no such option" if unknown else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_command_that_is_named_exists_with_its_options(page: Path) -> None:
    assert {call: wrong for call in typed(page) if (wrong := wrong_with(call))} == {}


def test_every_benchmark_and_script_that_is_named_exists_with_its_options() -> None:
    wrong = []
    for page in PAGES:
        if page.name == "weights.md":  # how earlier weights were made, by the scripts of their time
            continue
        text = page.read_text("utf-8").replace("\\\n", " ")
        for program, options in re.findall(r"(\./dev bench [a-z_]+|(?:benchmarks|scripts)/[a-z_]+\.py)([^`\n]*)", text):
            path = ROOT / re.sub(r"\./dev bench (\w+)", r"benchmarks/\1.py", program)
            source = path.read_text("utf-8") if path.is_file() else ""
            unknown = [option for option in re.findall(r"--[a-z-]+", options) if f'"{option}"' not in source]
            wrong += [(page.name, program, unknown)] if unknown or not source else []
    assert wrong == []


def test_every_extra_that_is_named_can_be_installed() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = {
        extra.strip()
        for page in PAGES
        for group in re.findall(r"octavo\[([\w, ]+)\]", page.read_text("utf-8"))
        for extra in group.split(",")
    }
    assert named <= set(extras)
    install = (ROOT / "docs" / "install.md").read_text("utf-8")
    assert {extra for extra in extras if f"`octavo[{extra}]`" not in install} == set()


def test_calls_of_a_server_have_what_it_asks_for() -> None:
    text = "\n".join(page.read_text("utf-8").replace("\\\n", " ") for page in PAGES)
    calls = re.findall(r"curl [^`\n]*(?:7411|--unix-socket)[^`\n]*", text)
    assert calls
    assert [call for call in calls if "--unix-socket" not in call and "Authorization: Bearer" not in call] == []
    assert [call for call in calls if " -d " in call and "content-type: application/json" not in call.lower()] == []
