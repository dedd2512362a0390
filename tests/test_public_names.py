"""What `import recto` promises."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import recto
from recto import errors

PROMISED = {
    "__version__",
    # a library
    "open_library",
    "Engine",
    "IndexReport",
    "Config",
    "CollectionSettings",
    # a question and its answer
    "Query",
    "Filters",
    "Kind",
    "PROFILES",
    "Profile",
    "Result",
    "Hit",
    "Citation",
    "Span",
    "Lines",
    "Freshness",
    # what can go wrong
    "RectoError",
    "InvalidArgument",
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
    "DamagedSnapshot",
    "StorageError",
    "SourceError",
    "ParseError",
    "ProviderFailed",
    "ModelUnavailable",
    "MissingExtra",
}


def test_the_public_names_are_the_promised_ones() -> None:
    assert set(recto.__all__) == PROMISED
    assert len(recto.__all__) == len(PROMISED)


@pytest.mark.parametrize("name", sorted(PROMISED))
def test_every_public_name_is_there_and_listed(name: str) -> None:
    assert getattr(recto, name) is not None
    assert name in dir(recto)


def test_every_error_is_public_and_the_same_class() -> None:
    raised = {
        name: one for name, one in vars(errors).items() if inspect.isclass(one) and one.__module__ == "recto.errors"
    }
    assert set(raised) <= PROMISED
    assert all(getattr(recto, name) is one for name, one in raised.items())


def test_a_name_that_is_not_promised_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'recto' has no attribute 'Manager'"):
        _ = recto.Manager
    with pytest.raises(ImportError):
        exec("from recto import Manager")


def test_a_star_import_brings_the_public_names_and_nothing_else() -> None:
    names: dict[str, object] = {}
    exec("from recto import *", names)
    assert set(names) - {"__builtins__"} == PROMISED


def test_a_type_checker_sees_the_same_names_as_the_interpreter() -> None:
    source = Path(inspect.getfile(recto)).read_text("utf-8")
    promised_to_types = source.partition("if TYPE_CHECKING:")[2].partition("__version__ =")[0]
    imported = {word.strip(" ,()\n") for word in promised_to_types.replace("import", ",").replace("\n", ",").split(",")}
    assert PROMISED - {"__version__"} <= imported


def test_a_library_is_made_filled_and_searched_with_public_names_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "pump.md").write_text("# Pump\n\nThe switch is behind the door.\n", "utf-8")
    hashing = {"embedding.provider": "hashing"}
    with recto.open_library(tmp_path / "library.db", create=True, settings=hashing) as library:
        library.add_collection("notes", notes)
        report = library.index()
        result = library.search(recto.Query("where is the switch?", filters=recto.Filters(kinds=(recto.Kind.NOTE,))))
    assert isinstance(library, recto.Engine) and isinstance(report, recto.IndexReport)
    assert isinstance(result, recto.Result)
    (hit,) = result.hits
    assert hit == recto.Hit(**{name: getattr(hit, name) for name in hit.__dataclass_fields__})
    assert hit.citation == recto.Citation("pump.md", ("Pump",), recto.Span(0, 38), recto.Lines(1, 3))


def test_a_library_that_is_not_there_is_not_made_unless_asked(tmp_path: Path) -> None:
    with pytest.raises(recto.NotIndexed, match=r"no library at .*library\.db"):
        recto.open_library(tmp_path / "library.db")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_setting_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(
        recto.ConfigurationError, match=r"flag sets embedding\.provide, which is not a setting"
    ) as caught:
        recto.open_library(tmp_path / "library.db", create=True, settings={"embedding.provide": "hashing"})
    assert caught.value.hint == "did you mean embedding.provider?"


def test_the_version_is_readable_without_importing_anything_else() -> None:
    program = "import sys, recto; recto.__version__; print(*(name for name in sys.modules if name.startswith('recto')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "recto\n"
