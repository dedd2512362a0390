"""What a link means: as Obsidian has it, and as Markdown, code and commits do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.links.document_link_names import names_of
from octavo.algorithms.links.link_resolution import Resolver
from octavo.algorithms.text.document_name_normalisation import folded, name_match
from octavo.graph.edge_extraction import links_of
from octavo.model.document import Document, Kind, Link, LinkKind
from octavo.model.ids import CollectionId, DocumentId
from octavo.model.link_graph import DocumentName, NameKind, NameMatch
from octavo.model.normalised_text_and_spans import Span

HERE, THERE = CollectionId("here"), CollectionId("there")


def document(uri: str, *links: Link, kind: Kind = Kind.NOTE, **values: object) -> Document:
    return Document(
        id=DocumentId(uri),
        uri=uri,
        kind=kind,
        title=uri,
        text="",
        content_hash="",
        modified_at=0.0,
        links=links,
        **values,  # type: ignore[arg-type]
    )


def wiki(target: str, anchor: str | None = None) -> Link:
    return Link(LinkKind.WIKILINK, target, anchor, None, Span(0, 1))


def markdown(target: str) -> Link:
    return Link(LinkKind.MARKDOWN, target, None, None, Span(0, 1))


def meant(source: Document, *others: Document, elsewhere: tuple[Document, ...] = ()) -> list[str | None]:
    """The uris that the links of `source` lead to, among itself and the others."""
    here = [source, *others]
    candidates = [
        (name.name, name_match(number, HERE if number < len(here) else THERE, one.uri, name.kind, name.path))
        for number, one in enumerate((*here, *elsewhere))
        for name in names_of(one)
    ]
    resolver = Resolver(candidates)
    found = [resolver.resolve(link.reference, HERE) for link in links_of(source)]
    return [None if one is None else (*here, *elsewhere)[one].uri for one in found]


def notes(*uris: str) -> list[Document]:
    return [document(uri) for uri in uris]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("Tides", "log/2024/Tides.md"),
        ("tides", "log/2024/Tides.md"),
        ("Tides.md", "log/2024/Tides.md"),
        ("sea/Tides", "sea/Tides.md"),
        ("log/2024/Tides", "log/2024/Tides.md"),
        ("2024/Tides", "log/2024/Tides.md"),
        ("/sea/Tides", "sea/Tides.md"),
        ("./Moon", "log/Moon.md"),
        ("../sea/Tides", "sea/Tides.md"),
        ("../../sea/Tides", None),
        ("Moon", "log/Moon.md"),
        ("Version 1.2", "Version 1.2.md"),
        ("chart.png", None),
        ("ea/Tides", None),
    ],
)
def test_a_wikilink_finds_what_fits_below_its_own_folder_first_and_then_the_shortest_path(
    target: str, expected: str | None
) -> None:
    others = notes("sea/Tides.md", "log/2024/Tides.md", "log/Moon.md", "Moon and stars/Moon.md", "Version 1.2.md")
    source = document("log/Today.md", wiki(target))
    assert meant(source, *others) == [expected]


def test_the_same_folder_goes_before_a_shorter_path_elsewhere() -> None:
    assert meant(document("deep/down/a.md", wiki("b")), *notes("b.md", "deep/down/b.md")) == ["b.md"]
    assert meant(document("deep/down/a.md", wiki("b")), *notes("x/b.md", "deep/down/b.md")) == ["deep/down/b.md"]
    assert meant(document("a.md", wiki("b")), *notes("long/way/b.md", "way/b.md")) == ["way/b.md"]


def test_case_decides_only_between_two_spellings() -> None:
    assert meant(document("a.md", wiki("NOTE"), wiki("note"), wiki("nOtE")), *notes("NOTE.md", "note.md")) == [
        "NOTE.md",
        "note.md",
        "NOTE.md",
    ]


def test_accents_may_be_typed_either_way() -> None:
    assert meant(document("a.md", wiki("Soire\u0301e")), *notes("Soir\u00e9e.md")) == ["Soir\u00e9e.md"]


def test_an_alias_is_found_after_a_file_of_that_name() -> None:
    named = document("people/Ada.md", aliases=("The Countess", "How to/Count"))
    source = document("a.md", wiki("the countess"), wiki("How to/Count"), wiki("Count"))
    assert meant(source, named) == ["people/Ada.md"] * 3
    assert meant(source, named, document("The Countess.md"))[0] == "The Countess.md"


def test_a_markdown_link_is_looked_for_beside_its_source_first() -> None:
    others = notes("guide/install.md", "docs/guide/install.md", "docs/index.md", "guide/index.md")
    source = document(
        "docs/start.md",
        markdown("guide/install.md"),
        markdown("/guide/install.md"),
        markdown("index.md"),
        markdown("../guide/"),
        markdown("guide/install.html?x=1"),
    )
    assert meant(source, *others) == [
        "docs/guide/install.md",
        "guide/install.md",
        "docs/index.md",
        "guide/index.md",
        "docs/guide/install.md",
    ]


def test_a_link_to_an_index_never_means_the_index_of_another_folder() -> None:
    assert meant(document("docs/start.md", markdown("README.md")), *notes("other/README.md")) == [None]


@pytest.mark.parametrize("target", ["https://example.org/a.md", "mailto:ann@example.org", "//cdn/x.md", "{{ var }}"])
def test_what_leads_out_of_the_library_is_no_edge(target: str) -> None:
    assert links_of(document("a.md", markdown(target))) == ()


def test_an_address_is_found_by_the_page_that_has_it() -> None:
    page = document("files/web/fetch/index.md", metadata={"slug": "Web/API/Fetch"})
    assert meant(document("a.md", markdown("/en-US/docs/Web/API/Fetch")), page) == ["files/web/fetch/index.md"]
    assert meant(document("a.md", markdown("/en-US/docs/Web/Fetch")), page) == [None]


def test_a_wikilink_may_lead_into_another_collection_and_a_path_may_not() -> None:
    source = document("a.md", wiki("src/server.py"), markdown("src/server.py"))
    server = document("src/server.py", kind=Kind.CODE, language="python")
    assert meant(source, elsewhere=(server,)) == ["src/server.py", None]
    assert meant(source, document("x/src/server.py", kind=Kind.CODE), elsewhere=(server,))[0] == "x/src/server.py"


def test_a_commit_changes_the_files_it_names() -> None:
    commit = document(".git/commits/1a2b", kind=Kind.COMMIT, metadata={"files": ["src/a.py", "docs/b.md", "gone.c"]})
    others = (document("src/a.py", kind=Kind.CODE, language="python"), document("docs/b.md"))
    assert meant(commit, *others) == ["src/a.py", "docs/b.md", None]
    assert {link.type.value for link in links_of(commit)} == {"changes"}


def test_a_property_may_hold_links() -> None:
    source = document("a.md", metadata={"up": "[[Home]]", "related": ["[[b#Part|shown]]", "no link"], "n": 3})
    assert meant(source, *notes("Home.md", "b.md")) == ["Home.md", "b.md"]
    assert [(link.type.value, link.anchor, link.context) for link in links_of(source)] == [
        ("links_to", None, "up"),
        ("related", "Part", "related"),
    ]


def test_a_link_within_a_document_leads_to_itself() -> None:
    assert meant(document("x/a.md", wiki("", "Part"), wiki("")), *notes("a.md")) == ["x/a.md"]


def imports(uri: str, language: str, *targets: tuple[str, str]) -> Document:
    links = (Link(LinkKind.IMPORT, target, None, names or None, Span(0, 1)) for target, names in targets)
    return document(uri, *links, kind=Kind.CODE, language=language)


def code(language: str, *uris: str) -> list[Document]:
    return [document(uri, kind=Kind.CODE, language=language) for uri in uris]


def resolved(source: Document, *others: Document) -> set[str]:
    return {one for one in meant(source, *others) if one is not None}


def test_python_imports_are_followed() -> None:
    source = imports(
        "src/app/web/views.py",
        "python",
        ("app.store", "Store, rows"),
        ("app", "settings, Thing"),
        (".forms", "Form"),
        ("..", "models"),
        ("os", ""),
        ("json", ""),
    )
    others = code(
        "python",
        "src/app/store.py",
        "src/app/settings.py",
        "src/app/__init__.py",
        "src/app/web/forms.py",
        "src/app/models.py",
        "src/vendor/json.py",
    )
    assert resolved(source, *others) == {
        "src/app/store.py",
        "src/app/settings.py",
        "src/app/__init__.py",
        "src/app/web/forms.py",
        "src/app/models.py",
    }


@pytest.mark.parametrize(
    ("language", "uri", "target", "expected"),
    [
        ("typescript", "web/src/main.ts", "./api/client", "web/src/api/client.ts"),
        ("typescript", "web/src/main.ts", "./parts", "web/src/parts/index.ts"),
        ("typescript", "web/src/main.ts", "./api/client.js", "web/src/api/client.ts"),
        ("typescript", "web/src/main.ts", "@/api/client", "web/src/api/client.ts"),
        ("typescript", "web/src/main.ts", "client", None),
        ("go", "cmd/main.go", "github.com/ann/tool/internal/store", "internal/store/store.go"),
        ("go", "cmd/main.go", "fmt", None),
        ("rust", "src/main.rs", "store", "src/store.rs"),
        ("rust", "src/web.rs", "crate::store::Row", "src/store.rs"),
        ("rust", "src/web.rs", "serde::Serialize", None),
        ("java", "app/src/org/x/Main.java", "org.x.store.Row", "app/src/org/x/store/Row.java"),
        ("java", "app/src/org/x/Main.java", "java.util.List", None),
        ("c", "src/main.c", "store/row.h", "src/store/row.h"),
        ("c", "src/main.c", "row.h", "src/store/row.h"),
        ("c", "src/main.c", "stdio.h", None),
        ("ruby", "lib/app.rb", "./store", "lib/store.rb"),
        ("ruby", "lib/app.rb", "app/row", "lib/app/row.rb"),
        ("php", "src/Main.php", "App\\Store\\Row", "src/Store/Row.php"),
        ("css", "web/main.css", "./theme.css", "web/theme.css"),
        ("less", "web/main.scss", "palette", "web/_palette.scss"),
        ("html", "web/page.html", "js/app.js", "web/js/app.js"),
        ("lua", "lib/a.lua", "store.row", "lib/store/row.lua"),
        ("swift", "a.swift", "Foundation", None),
    ],
)
def test_an_import_finds_the_file_it_names(language: str, uri: str, target: str, expected: str | None) -> None:
    paths = (
        "web/src/api/client.ts web/src/parts/index.ts src/store.rs internal/store/store.go internal/store/db.go "
        "app/src/org/x/store/Row.java src/store/row.h lib/store.rb lib/app/row.rb src/Store/Row.php web/theme.css "
        "web/_palette.scss web/js/app.js lib/store/row.lua"
    )
    others = [document(one, kind=Kind.CODE, language="go" if one.endswith(".go") else "x") for one in paths.split()]
    found = resolved(imports(uri, language, (target, "")), *others)
    assert found == ({expected} if expected else set())


PATHS = st.lists(st.sampled_from(["a", "B", "c d", "é"]), min_size=1, max_size=4).map("/".join)


@given(st.lists(PATHS, min_size=1, max_size=6, unique_by=folded), PATHS)
def test_every_document_is_found_by_its_whole_path_and_the_answer_ends_as_asked(paths: list[str], at: str) -> None:
    source = document(at + "/source.md", *(wiki(path) for path in paths))
    found = meant(source, *notes(*(f"{path}.md" for path in paths)))
    assert found == [f"{path}.md" for path in paths]
    for path, one in zip(paths, meant(source, *notes(*(f"x/{path}.md" for path in paths))), strict=True):
        assert one is not None and folded(one).endswith(folded(f"/{path}.md"))


def test_many_notes_of_one_name_cost_no_more_than_their_number() -> None:
    many = 3_000
    candidates = [
        ("readme", NameMatch(number, HERE, f"p{number}/README.md", NameKind.FILE, f"p{number}/README"))
        for number in range(many)
    ]
    resolver = Resolver(candidates)
    asked = [links_of(document(f"p{number}/a.md", wiki("README")))[0].reference for number in range(many)]
    assert [resolver.resolve(one, HERE) for one in asked] == list(range(many))


def test_names_are_made_once_each() -> None:
    one = document("docs/README.md", aliases=("README", "README"))
    assert sorted(set(names_of(one))) == sorted(names_of(one))
    assert DocumentName("docs", NameKind.FOLDER) in names_of(one)
