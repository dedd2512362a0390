"""The shape of the package, held by tests: layers, names, sizes, and who may write, print and speak SQL."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "octavo"
MODULES = sorted(SOURCE.rglob("*.py"))
CORE = sorted(PACKAGE.rglob("*.py"))

LINES = 400
LONGER = {
    "chunking/code_chunker.py": "what is a unit of code, in one place for all languages",
}
SAY_NOTHING = {
    "utils",
    "util",
    "core",
    "common",
    "helpers",
    "helper",
    "manager",
    "managers",
    "misc",
    "base",
}
FUNCTION_LEVEL_IMPORTS = 127
COMMANDS = PACKAGE / "interfaces" / "cli" / "commands"
"""Imports inside functions: a ceiling that only ever comes down. Laziness is for the doors: a command's own imports,
which its help does without, are not counted."""

PUBLIC_ANYWAY = {"_asdict", "_exit", "_fields", "_make", "_replace"}  # of named tuples and of `os`

ADAPTERS = {"sources", "parsing", "converting", "chunking", "embedding", "llm", "vectors", "stores", "search_snapshots"}
ASKED_BY_NAME = {
    "octavo.embedding.model_download",
    "octavo.embedding.installed_models",
    "octavo.embedding.static_token_table_choice",
    "octavo.sql_repositories.schema_compatibility",
}  # which models lie on this machine, and which libraries this Octavo opens
SPEAKS_TO_SQLITE = {f"stores/sqlite/{name}.py" for name in ("database", "salvage", "salvaged_vectors")}
WRITES_TO_STDOUT = {"interfaces/cli/output.py"}

SQL = re.compile(
    r"\s*(?:select\b.*\bfrom\b|insert\s+(?:or\s+\w+\s+)?into\b|update\s+\w+\s+set\b|delete\s+from\b|drop\s+\w+\s+\w+$"
    r"|create\s+(?:unique\s+|virtual\s+|temp\s+)*(?:table|index|trigger|view)\b|alter\s+table\b|with\s+\w+\s+as\s*\("
    r"|pragma\s+\w+|begin\s+\w+$|savepoint\b)",
    re.IGNORECASE | re.DOTALL,
)
MACHINE_PATH = re.compile(r"/(?:work|root)/|/home/(?!you\b|user\b|me\b|ann\b)\w+/|/Users/\w+/")
UNFINISHED = re.compile(r"#.*\b(?:TODO|FIXME|XXX|HACK)\b")
BANNER = re.compile(r"^\s*#\s*[-=#*~]{4,}", re.MULTILINE)


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix().removeprefix("octavo/")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def imports(path: Path) -> Iterator[str]:
    """Every module a file imports, wherever in it."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def module(path: Path) -> str:
    """What a file is imported as."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path, known: Collection[str]) -> set[str]:
    """The modules of this package that a file names, wherever in it: lazily, or for a type checker alone."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = module(path).split(".")[: None if path.name == "__init__.py" else -1]
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            found |= {name if (name := f"{source}.{alias.name}") in known else source for alias in node.names}
    return (found & set(known)) - {module(path)}


def cycles(graph: Mapping[str, Collection[str]]) -> set[frozenset[str]]:
    """Strongly connected components of more than one module, by Tarjan's algorithm."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: set[frozenset[str]] = set()

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            place = stack.index(name)
            component = frozenset(stack[place:])
            del stack[place:]
            if len(component) > 1:
                found.add(component)

    for name in sorted(graph):
        if name not in order:
            visit(name)
    return found


def function_level_imports(path: Path) -> set[int]:
    """The lines of a file on which a function imports something."""
    functions = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = (node for function in functions for node in ast.walk(function))
    return {node.lineno for node in inside if isinstance(node, ast.Import | ast.ImportFrom)}


@cache
def private_names(path: Path) -> set[str]:
    """The attributes with an underscore that a file defines: methods, fields, and those of `self` or `cls`."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            found.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    # What ends with one too is called by others, as notebooks call `_repr_html_`.
    return {name for name in found if name.startswith("_") and not name.startswith("__") and not name.endswith("_")}


def docstrings(path: Path) -> set[int]:
    """The strings of a file that stand by themselves: documentation, and no text for anyone else."""
    return {
        id(node.value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def test_there_is_something_to_look_at() -> None:
    assert len(MODULES) > 100


def test_data_flows_one_way() -> None:
    pytest.importorskip("importlinter", reason="the layers are checked where import-linter is installed")
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-c", program, "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_circle_of_three_and_nothing_else_is_a_cycle() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set[str]()}
    assert cycles(graph) == {frozenset("abc")}


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Counting every import: those inside functions and those for a type checker too."""
    known = {module(path): path for path in MODULES}
    found = cycles({name: imported_modules(path, known) for name, path in known.items()})
    assert found == set(), "\n".join(" ".join(sorted(cycle)) for cycle in found)


def test_nobody_reaches_into_an_object_of_another_module() -> None:
    """Above the flows, a name with an underscore is used where it is defined, and no state is edited by name."""
    above = {"engine", "operations", "interfaces", "config", "jobs", "memory", "ingest"}
    reached = {
        f"{named(path)}:{node.lineno} {ast.unparse(node)}"
        for path in CORE
        if path.relative_to(PACKAGE).parts[0] in above
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Attribute)
        and (node.attr == "__dict__" or (node.attr.startswith("_") and not node.attr.startswith("__")))
        and node.attr not in PUBLIC_ANYWAY | private_names(path)
    }
    assert reached == set()


def reaches(path: Path, ours: Collection[str]) -> Iterator[str]:
    """Where a file names something private that is not its own: as an attribute, in an import, or in a string."""
    private = set(ours) - {"_"} - PUBLIC_ANYWAY - private_names(path)
    in_f_strings = {
        id(part) for node in ast.walk(tree(path)) if isinstance(node, ast.JoinedStr) for part in node.values
    }
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Attribute):
            names = [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in in_f_strings:
            names = [node.value.rpartition(".")[2]] if node.value.startswith(("_", "octavo")) else []
        else:
            continue
        yield from (f"{path.relative_to(ROOT)}:{node.lineno} {name}" for name in names if name in private)


def test_no_test_and_no_benchmark_names_anything_private() -> None:
    ours = frozenset[str]().union(*map(private_names, MODULES))
    files = sorted(path for folder in ("tests", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
    maybe = [
        path for path in files if re.search(r"[.\"' ]_[A-Za-z]", path.read_text("utf-8"))
    ]  # parsing all takes longer
    assert [where for path in maybe for where in reaches(path, ours)] == []


def test_modules_import_at_their_top() -> None:
    inside = [path for path in MODULES if COMMANDS not in path.parents]
    lines = {named(path): len(function_level_imports(path)) for path in inside}
    assert sum(lines.values()) <= FUNCTION_LEVEL_IMPORTS, {name: count for name, count in lines.items() if count}


def test_values_are_declared_with_the_dataclass_that_starts_fast() -> None:
    from_the_standard_library = {
        named(path)
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if any(alias.name == "dataclass" for alias in node.names)
    }
    assert from_the_standard_library == {"fast_dataclass.py"}, "import it from octavo.fast_dataclass"


def test_expressions_of_modules_are_compiled_when_they_are_used() -> None:
    compiled = {
        named(path)
        for path in MODULES
        for node in tree(path).body
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("re.compile(")
    }
    assert compiled == set(), "make them with octavo.lazy_regex"


def test_only_wiring_names_adapters() -> None:
    """Above the flows, adapters are named in one package; everyone else asks a port."""
    above = {"engine", "operations", "interfaces", "config", "jobs"}
    naming = {
        named(path)
        for path in CORE
        if path.relative_to(PACKAGE).parts[0] in above
        for module in imports(path)
        if module.startswith("octavo.") and module.split(".")[1] in ADAPTERS and module not in ASKED_BY_NAME
    }
    assert {Path(name).parent.as_posix() for name in naming} == {"engine/wiring"}


def test_no_adapter_knows_another() -> None:
    known = {
        (named(path), module)
        for path in CORE
        if (mine := path.relative_to(PACKAGE).parts[0]) in ADAPTERS
        for module in imports(path)
        if module.startswith("octavo.") and module.split(".")[1] in ADAPTERS - {mine}
    }
    assert known == set()


def test_modules_stay_short_enough_to_read() -> None:
    long = {named(path): len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in long.items() if lines > LINES and name not in LONGER} == {}


def test_modules_are_named_by_what_they_are_about() -> None:
    words = {named(path): set(re.split(r"[/_.]", path.relative_to(SOURCE).as_posix())) for path in MODULES}
    assert {name: empty for name, parts in words.items() if (empty := parts & SAY_NOTHING)} == {}


def test_no_public_class_name_means_two_things() -> None:
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(named(path))
    assert {name: modules for name, modules in places.items() if len(modules) > 1} == {}


def test_no_two_values_of_more_than_four_fields_have_the_same() -> None:
    """A value that repeats the fields of another is that value."""
    owners: dict[frozenset[str], list[str]] = {}
    for path in MODULES:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef):
                declared = (item.target for item in node.body if isinstance(item, ast.AnnAssign))
                fields = frozenset(target.id for target in declared if isinstance(target, ast.Name))
                owners.setdefault(fields, []).append(f"{named(path)}: {node.name}")
    assert [classes for fields, classes in owners.items() if len(fields) > 4 and len(classes) > 1] == []


def test_every_module_begins_by_saying_what_it_is_for() -> None:
    silent = [named(path) for path in MODULES if not (ast.get_docstring(tree(path)) or "").strip()]
    assert silent == []
    empty_words = [named(path) for path in MODULES if (ast.get_docstring(tree(path)) or "").startswith("This module")]
    assert empty_words == []


def test_nothing_prints() -> None:
    printing = [
        (named(path), node.lineno)
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "pprint", "input")
    ]
    assert printing == []


def test_only_output_writes_to_stdout() -> None:
    writing = set()
    for path in MODULES:
        for node in ast.walk(tree(path)):
            names_stdout = (
                isinstance(node, ast.Attribute)
                and node.attr in ("stdout", "__stdout__")
                and isinstance(node.value, ast.Name)
                and node.value.id == "sys"
            )
            echoes = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("echo", "secho")
                and not any(keyword.arg == "err" for keyword in node.keywords)
            )
            if names_stdout or echoes:
                writing.add(named(path))
    assert writing == WRITES_TO_STDOUT


def test_sql_lives_in_sql_files() -> None:
    found = []
    for path in MODULES:
        skipped = docstrings(path)
        for node in ast.walk(tree(path)):
            text = node.value if isinstance(node, ast.Constant) and id(node) not in skipped else None
            if isinstance(text, str) and SQL.match(text):
                found.append((named(path), text[:60]))
    assert {name for name, _ in found} == SPEAKS_TO_SQLITE, found


def test_a_library_is_opened_in_one_module_a_damaged_one_in_another_and_other_programs_files_in_their_own() -> None:
    assert {named(path) for path in MODULES for module in imports(path) if module.split(".")[0] == "apsw"} == {
        "stores/sqlite/database.py",
        "stores/sqlite/error_translation.py",
        "stores/sqlite/salvage.py",
        "stores/sqlite/salvaged_vectors.py",
        "octavo_import/foreign_sqlite_file.py",
        "octavo_records/publication_of_file.py",
    }


def test_no_file_knows_the_machine_it_was_written_on() -> None:
    texts = [
        path
        for folder in ("src", "docs", "scripts", "benchmarks", "examples", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".md", ".toml", ".sql", ".json", ".jsonl", ".txt", ".sh"}
        and "results" not in path.parts
    ]
    texts += [path for path in (*ROOT.glob("*.md"), ROOT / "pyproject.toml", ROOT / "dev") if path.is_file()]
    texts.remove(Path(__file__))
    knowing = {
        (path.relative_to(ROOT).as_posix(), match[0])
        for path in texts
        for match in MACHINE_PATH.finditer(path.read_text("utf-8", "replace"))
    }
    assert knowing == set()


def test_nothing_is_left_for_later_and_nothing_is_boxed_in() -> None:
    texts = {named(path): path.read_text("utf-8") for path in MODULES}
    assert [name for name, text in texts.items() if UNFINISHED.search(text)] == []
    assert [name for name, text in texts.items() if BANNER.search(text)] == []


def test_no_test_sleeps() -> None:
    sleeping = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path != Path(__file__) and re.search(r"\bsleep\(", path.read_text("utf-8"))
    ]
    assert sleeping == []


def test_values_are_changed_by_one_replace() -> None:
    named_otherwise = [
        named(path)
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        if any(alias.name == "replace" for alias in node.names)
    ]
    assert not named_otherwise, "import `replace` from octavo.fast_dataclass"
