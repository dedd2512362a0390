"""A document by what people call it: its file's name, the end of its path, an alias, its title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from octavo.algorithms.queries.spelling_suggestions import Vocabulary, nearest_spelling
from octavo.algorithms.text.document_name_normalisation import folded, last, module_stem, without_ending
from octavo.errors import InvalidArgument
from octavo.model.document import Kind
from octavo.model.ids import CollectionId
from octavo.model.link_graph import NameKind, NameMatch, Node
from octavo.model.stored_rows import StoredDocument
from octavo.sql_repositories.project_of_open_library import ProjectLibrary

_RANKS = (
    frozenset({NameKind.FILE, NameKind.PATH}),
    frozenset({NameKind.ALIAS}),
    frozenset({NameKind.MODULE}),
    frozenset({NameKind.FOLDER, NameKind.SLUG}),
    frozenset({NameKind.FORMER}),
)
_SHOWN = 6  # choices, where a name is that of several documents
_OFFERED = 50  # the same for programs
_NEAREST = 3  # names that are offered for one nobody has
_LOOKED_AT = 12  # names that share most with one nobody has


def named(library: ProjectLibrary, reference: str, within: CollectionId | None) -> StoredDocument | None:
    """The one document of this name; whoever is at exactly that path goes before those whose path ends so.

    `Kyoto`, `travel/kyoto`, `Kyoto.md` and the alias `Miyako` all mean travel/Kyoto.md.
    """
    wanted = folded(without_ending(reference.strip().strip("/")))
    if not last(wanted):
        return None
    matches = [
        match
        for match in library.store.graph.named(library.project.id, {last(wanted)})
        if within in (None, match.collection) and _ends_with(folded(match.path), wanted)
    ]
    for rank in _RANKS:
        alike = [match for match in matches if match.kind in rank]
        exact = [match for match in alike if folded(match.path) == wanted]
        if alike:
            return _only(library, reference, exact or alike)
    return None


def _ends_with(path: str, ending: str) -> bool:
    return path == ending or path.endswith("/" + ending)


def _only(library: ProjectLibrary, reference: str, matches: Sequence[NameMatch]) -> StoredDocument | None:
    documents, project = library.store.documents, library.project.id
    places = sorted({(match.uri, match.collection) for match in matches})
    found = [document for uri, home in places for document in documents.find(project, uri, home)]
    # A commit is called by its hash alone, and is the same one in every clone.
    found = [document for document in found if document.kind is not Kind.COMMIT]
    if len(found) > 1:
        raise _several(reference, [_place(document.collection, document.uri) for document in found])
    return found[0] if found else None


def titled(library: ProjectLibrary, reference: str, within: CollectionId | None) -> StoredDocument | None:
    wanted = folded(reference.strip())
    ids = [node.document for node in library.store.graph.nodes(library.project.id) if folded(node.title) == wanted]
    stored = (library.store.documents.get(library.project.id, document) for document in ids)
    found = [document for document in stored if document and within in (None, document.collection_id)]
    if len(found) > 1:
        raise _several(reference, [_place(document.collection, document.uri) for document in found])
    return found[0] if found else None


def _several(reference: str, places: Sequence[str]) -> InvalidArgument:
    some = ", ".join(sorted(places)[:_SHOWN])
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return InvalidArgument(
        f"{reference} is the name of {len(places)} documents",
        hint=f"choose one of: {some}{more}",
        details={"field": "reference", "value": reference, "valid_options": sorted(places)[:_OFFERED]},
    )


def _place(collection: str, uri: str) -> str:
    return f"{collection}/{uri}"


def nearest_names(library: ProjectLibrary, reference: str) -> list[str]:
    """The uris of the documents whose name, path or title is written most like this, the nearest first, if any is."""
    wanted = folded(without_ending(reference.partition("#")[0].strip().strip("/")))
    spelled: dict[str, Node] = {}
    for node in library.store.graph.nodes(library.project.id):
        for name in _spellings(node):
            spelled.setdefault(name, node)
    if not wanted or not spelled:
        return []
    near = list(Vocabulary(spelled).similar(wanted, _LOOKED_AT))
    found: list[str] = []
    while (best := nearest_spelling(wanted, near, max(1, len(wanted) // 3))) is not None and len(found) < _NEAREST:
        near.remove(best)
        found += [spelled[best].uri] if spelled[best].uri not in found else []
    return found


def _spellings(node: Node) -> Iterable[str]:
    path = folded(without_ending(node.uri))
    yield path
    yield last(path)
    yield folded(last(module_stem(node.uri)))
    yield folded(node.title)
