"""Turns an import into references to files of the same tree, language by language: `import a.b` → `a/b`.

An import of a package from elsewhere (`lodash`, `serde`) refers to nothing in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from sys import stdlib_module_names

from octavo.algorithms.links.document_link_names import at_path, joined
from octavo.algorithms.text.document_name_normalisation import folded, folder, last, module_stem
from octavo.lazy_regex import regex
from octavo.model.link_graph import Lookup, Reference

_MOST_NAMES = 16
_MODULE_NAME = regex(r"[a-z_][a-z0-9_]*")
_CODE_ENDING = regex(r"\.(?:[mc]?[jt]sx?|vue|svelte|rb|php|sh|bash|lua|R|r|dart|scss|sass|less|css)$")


def imported(language: str | None, uri: str, target: str, names: str) -> Iterator[Reference]:
    """The references of one import; several where `a.b` may be a module, or a name in the module `a`."""
    read = _LANGUAGES.get(language or "")
    return read(uri, target, names) if read else iter(())


def _module(uri: str, path: str) -> Reference:
    return Reference(Lookup.MODULE, folder(uri), path, folded(last(path)))


def _there(path: str | None) -> Iterator[Reference]:
    if path:
        yield Reference(Lookup.SOURCE, "", path, at_path(path))


def _python(uri: str, target: str, names: str) -> Iterator[Reference]:
    dots = len(target) - len(target.lstrip("."))
    path = target[dots:].replace(".", "/").strip("/")
    taken = [part.split()[0] for part in names.split(",")[:_MOST_NAMES] if part.split()]
    modules = [name for name in taken if _MODULE_NAME.fullmatch(name)]
    if not dots:
        # The standard library goes before what is beside a module of the same name.
        if path and path.partition("/")[0] not in stdlib_module_names:
            yield _module(uri, path)
            yield from (_module(uri, f"{path}/{name}") for name in modules)
        return
    base = folder(uri)
    for _ in range(dots - 1):
        base = folder(base)
    here = f"{base}/{path}".strip("/")
    yield from _there(here)
    for name in modules:
        yield from _there(f"{here}/{name}".strip("/"))


def _javascript(uri: str, target: str, names: str) -> Iterator[Reference]:
    path = _CODE_ENDING.sub("", target.partition("?")[0])
    if target.startswith("."):
        yield from _there(joined(folder(uri), path))
    elif target.startswith(("@/", "~/")):
        yield _module(uri, path[2:])
    elif "/" in target and not target.startswith("@") and ":" not in target:
        yield _module(uri, path)


def _go(uri: str, target: str, names: str) -> Iterator[Reference]:
    if "/" in target:
        yield Reference(Lookup.PACKAGE, "", target, folded(last(target)))


def _rust(uri: str, target: str, names: str) -> Iterator[Reference]:
    parts = [part for part in target.split("::") if part]
    if not parts:
        return
    if "::" not in target and not names:
        # `mod x;` in a.rs is a/x.rs; in lib.rs, main.rs and mod.rs it lies beside them.
        stem = last(module_stem(uri))
        own = folder(uri) if stem in ("lib", "main", "mod") else module_stem(uri)
        yield from _there(f"{own}/{parts[0]}".strip("/"))
        return
    base = folder(uri)
    if parts[0] == "super":
        parts = [part for part in parts if part != "super"]
        yield from _there(f"{base}/{'/'.join(parts)}".strip("/"))
        return
    if parts[0] not in ("crate", "self"):
        return
    modules = [part for part in parts[1:] if part[:1].islower()]
    while modules:
        yield _module(uri, "/".join(modules))
        modules = modules[:-1] if len(modules) > 1 else []


def _dotted(uri: str, target: str, names: str) -> Iterator[Reference]:
    """Java and its kin: `com.example.Type`, or something in it."""
    parts = [part.strip("`") for part in target.removesuffix(".*").split(".") if part]
    if len(parts) < 2 or target.endswith(".*"):
        return
    yield _module(uri, "/".join(parts))
    if len(parts) > 2:
        yield _module(uri, "/".join(parts[:-1]))


def _haskell(uri: str, target: str, names: str) -> Iterator[Reference]:
    if "." in target:
        yield _module(uri, target.replace(".", "/"))


def _included(uri: str, target: str, names: str) -> Iterator[Reference]:
    """A file by its path: beside the source, or wherever the include path leads."""
    path = joined(folder(uri), target) if target.startswith(("./", "../")) else None
    if path:
        yield from _there(path)
    else:
        yield Reference(Lookup.INCLUDE, folder(uri), target.strip("/"), folded(last(target)))


def _required(uri: str, target: str, names: str) -> Iterator[Reference]:
    path = _CODE_ENDING.sub("", target)
    if path.startswith("."):
        yield from _there(joined(folder(uri), path))
    elif last(path):
        yield _module(uri, path.strip("/"))


def _php(uri: str, target: str, names: str) -> Iterator[Reference]:
    parts = [part for part in target.split("\\") if part]
    if "/" in target or target.endswith(".php"):
        yield from _required(uri, target, names)
    elif len(parts) > 1:
        # The first part is the vendor's, and seldom a folder.
        yield _module(uri, "/".join(parts))
        if len(parts) > 2:
            yield _module(uri, "/".join(parts[1:]))


def _styles(uri: str, target: str, names: str) -> Iterator[Reference]:
    if ":" in target:
        return
    path = _CODE_ENDING.sub("", target)
    for name in (path, f"{folder(path)}/_{last(path)}"):
        yield from _there(joined(folder(uri), name))


def _page(uri: str, target: str, names: str) -> Iterator[Reference]:
    if ":" not in target and not target.startswith(("//", "#", "{")):
        yield from _included(uri, target.partition("?")[0].partition("#")[0], names)


def _lua(uri: str, target: str, names: str) -> Iterator[Reference]:
    yield _module(uri, target.replace(".", "/").strip("/"))


def _dart(uri: str, target: str, names: str) -> Iterator[Reference]:
    if target.startswith("package:"):
        yield _module(uri, _CODE_ENDING.sub("", target.partition("/")[2]) or target)
    elif ":" not in target:
        yield from _there(joined(folder(uri), _CODE_ENDING.sub("", target)))


def _perl(uri: str, target: str, names: str) -> Iterator[Reference]:
    if "::" in target:
        yield _module(uri, target.replace("::", "/"))


_LANGUAGES_OF = {
    _python: "python",
    _javascript: "javascript typescript tsx",
    _go: "go",
    _rust: "rust",
    _dotted: "java kotlin scala groovy",
    _haskell: "haskell",
    _included: "c cpp objc proto",
    _required: "ruby shell r",
    _php: "php",
    _page: "css html",
    _styles: "less scss",
    _lua: "lua",
    _dart: "dart",
    _perl: "perl",
}
_LANGUAGES: Mapping[str, Callable[[str, str, str], Iterator[Reference]]] = {
    language: read for read, languages in _LANGUAGES_OF.items() for language in languages.split()
}
