"""What `import octavo` promises."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import octavo
from octavo import answers, errors

PROMISED = {
    "__version__",
    # a library
    "open",
    "open_async",
    "Library",
    "AsyncLibrary",
    "ProgressUpdate",
    "Tools",
    "ToolAnswer",
    # the answers that most programs meet; octavo.answers has them all
    "SearchAnswer",
    "Forbidden",
    "FoundHit",
    "Freshness",
    "GetAnswer",
    "MemoryState",
    "RecallAnswer",
    "FoundMemory",
    "StatusAnswer",
    "IndexAnswer",
    "IndexingRun",
    # what can go wrong
    "OctavoError",
    "InvalidArgument",
    "LeaseLost",
    "LibraryClosed",
    "ConfigurationError",
    "NotFound",
    "NotIndexed",
    "Stale",
    "Busy",
    "Conflict",
    "RecipeMismatch",
    "LibraryError",
    "NotALibrary",
    "NewerLibrary",
    "DamagedLibrary",
    "DamagedSnapshot",
    "StorageError",
    "SourceError",
    "ParseError",
    "ProviderFailed",
    "ModelUnavailable",
    "MissingExtra",
}


def test_the_public_names_are_the_promised_ones() -> None:
    assert set(octavo.__all__) == PROMISED
    assert len(octavo.__all__) == len(PROMISED)


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_every_public_name_is_there_and_listed(name: str) -> None:
    assert getattr(octavo, name) is not None
    assert name in dir(octavo)


def test_every_error_is_public_and_the_same_class() -> None:
    raised = {
        name: kind
        for name, kind in vars(errors).items()
        if inspect.isclass(kind) and kind.__module__ == "octavo.errors"
    }
    assert set(raised) <= PROMISED
    assert all(getattr(octavo, name) is kind for name, kind in raised.items())


def test_every_public_answer_is_one_of_the_answers() -> None:
    public = PROMISED & set(answers.__all__)
    assert public
    assert all(getattr(octavo, name) is getattr(answers, name) for name in public)


def test_a_name_that_is_not_promised_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'octavo' has no attribute 'Manager'"):
        _ = octavo.Manager
    with pytest.raises(ImportError):
        exec("from octavo import Manager")


def test_a_star_import_brings_the_public_names_and_nothing_else() -> None:
    names: dict[str, object] = {}
    exec("from octavo import *", names)
    assert set(names) - {"__builtins__"} == PROMISED


def test_a_type_checker_sees_the_same_names_as_the_interpreter() -> None:
    source = Path(inspect.getfile(octavo)).read_text("utf-8")
    promised_to_types = source.partition("if TYPE_CHECKING:")[2].partition("__version__ =")[0]
    imported = {word.strip(" ,()\n") for word in promised_to_types.replace("import", ",").replace("\n", ",").split(",")}
    assert PROMISED - {"__version__"} <= imported


def test_a_library_shows_nothing_of_what_it_is_made_of(tmp_path: Path) -> None:
    with octavo.open(tmp_path / "library.db", create=True) as library:
        shown = {name for name in dir(library) if not name.startswith("_")}
        values = [value for name in shown if not callable(value := getattr(library, name))]
        tools = [name for name in dir(library.tools()) if not name.startswith("_")]
        assert {type(value) for value in values} == {str, bool, type(library.memory)}
    assert sorted(tools) == ["call", "definitions", "names"]


def test_a_library_is_made_filled_and_searched_with_public_names_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "pump.md").write_text("# Pump\n\nThe switch is behind the door.\n", "utf-8")
    with octavo.open(tmp_path / "library.db", create=True, config={"embedding.provider": "hashing"}) as library:
        library.add(notes, name="notes")
        library.index()
        result = library.search("where is the switch?", kinds="note")
    assert isinstance(library, octavo.Library)
    assert isinstance(result, octavo.SearchAnswer)
    (hit,) = result
    assert hit == octavo.FoundHit(**{name: getattr(hit, name) for name in hit.__dataclass_fields__})
    assert (hit.uri, hit.heading_path, hit.start, hit.end) == ("pump.md", ("Pump",), 0, 38)
    assert (hit.start_line, hit.end_line, hit.excerpt) == (1, 3, "# Pump\n\nThe switch is behind the door.")


def test_what_is_written_from_the_table_is_up_to_date() -> None:
    script = Path(__file__).parents[1] / "scripts" / "make_python_api.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_version_is_readable_without_importing_more_than_itself() -> None:
    program = "import sys, octavo; octavo.__version__; print(*sorted(name for name in sys.modules if 'octavo' in name))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "octavo octavo.version\n"
