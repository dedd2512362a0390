"""What a document names, by rules."""

from __future__ import annotations

import pytest

from octavo.graph.entity_extraction import declared_names, entities_of, named_in
from octavo.graph.name_and_address_recognition import address, doi
from octavo.model.document import Kind
from octavo.model.entity import EntityKind, MentionRole, NamedDocument

NOBODY = declared_names([])


def note(uri: str = "a.md", title: str = "A", **values: object) -> NamedDocument:
    return NamedDocument(uri, Kind.NOTE, title, **values)  # type: ignore[arg-type]


def labels(text: str, kind: EntityKind, document: NamedDocument | None = None) -> list[str]:
    mentions = entities_of(document or note(), text, NOBODY)
    return [found.entity.label for found in mentions if found.entity.kind is kind]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        (
            "We met Maria Sklodowska-Curie and Ludwig van Beethoven there.",
            ["Maria Sklodowska-Curie", "Ludwig van Beethoven"],
        ),
        ("George W. Bush's car stood outside.", ["George W. Bush"]),
        ("Ask Dr. Okonkwo, or @kim-lee.", ["Okonkwo", "@kim-lee"]),
        ("Ada Lovelace wrote it; the notes of Ada Lovelace are long.", ["Ada Lovelace"]),
        ("The keys are with Oskar, and Ines's torch hangs in the shed of Tomasz.", ["Ines", "Oskar", "Tomasz"]),
        ("Julia is a language, as is Pascal; a Monte Carlo method, written in Julia.", []),
        ("The note [[@Ada Lovelace]] says more.", ["Ada Lovelace"]),
        ("Anna Documentation, Peter University, and mail to a@b.org", []),
        ("`Peter Parker` and\n```\nPeter Parker\n```\n", []),
        ("In Mark Down we trust, as May Day comes.", []),
        ("MS Embedded fonts, Claude Haiku and the Max Hourly Price, says Claude Monet.", ["Claude Monet"]),
        ('Ask ``@PublicAPI`` or `@media`; {{cssxref("@layer")}}, @angular/core, by @albanie.', ["@albanie"]),
        ("1. Do:\n\n   ```py\n   @final\n   ```\n\n> ~~~\n> @media\n> ~~~\n\nby @kim", ["@kim"]),
        ("As follows::\n\n    @final\n    class A: ...\n\nby @kim", ["@kim"]),
        (".. code-block:: tex\n\n   @article{a,\n     by = Peter Parker}\n\n.. note::\n\n   by @kim", ["@kim"]),
        ("@override(Base)\n@property\n\n@article{liaw, and @kim: look.", ["@kim"]),
        ("A heading\n~~~~~~~~~\n\nby @kim", ["@kim"]),
        ("```\nPeter Parker, and the fence is never closed", []),
    ],
)
def test_people_are_given_names_with_a_surname_titles_and_handles(text: str, people: list[str]) -> None:
    assert sorted(labels(text, EntityKind.PERSON)) == sorted(people)


def test_a_place_is_the_longest_name_that_is_known() -> None:
    assert labels("From New York City to Zürich's lake.", EntityKind.PLACE) == ["New York City", "Zürich"]
    assert labels("A nice day in mobile.", EntityKind.PLACE) == []
    assert labels("The University of Southern California is not in Canada.", EntityKind.PLACE) == ["Canada"]


def test_a_project_is_named_by_its_repository_or_by_the_word_in_front() -> None:
    text = "https://github.com/simonw/llm.git, www.gitlab.com/a/b, Project Heron, github.com/sponsors/x"
    assert sorted(labels(text, EntityKind.PROJECT)) == ["Heron", "a/b", "simonw/llm"]
    other = "https://gist.github.com/x/0e6a8d https://docs.github.com/en/pages https://api.github.com/repos/a"
    assert labels(f"{other} github.com/your-name/repo, the Project Page of a Project Manager", EntityKind.PROJECT) == []


def test_identifiers_are_one_however_they_are_written() -> None:
    (standard, ticket) = entities_of(note(), "RFC 9110, RFC9110 and RFC-9110; see OPS-17.", NOBODY)
    assert (standard.entity.name, standard.times, ticket.entity.label) == ("rfc 9110", 3, "OPS-17")
    assert labels("UTF-8, SHA-256, X-1, EAN-13 and COVID-19", EntityKind.IDENTIFIER) == []


def test_a_doi_and_an_address_end_where_the_sentence_goes_on() -> None:
    text = "(https://en.wikipedia.org/wiki/Mars_(planet)), doi:10.1038/S41586-020-2649-2. https://doi.org/10.1000/a"
    assert labels(text, EntityKind.URL) == ["https://en.wikipedia.org/wiki/Mars_(planet)"]
    assert labels(text, EntityKind.DOI) == ["10.1038/S41586-020-2649-2", "10.1000/a"]
    same = [address("https://www.Octavo-site.org/a/#x"), address("http://octavo-site.org/a?utm_source=mail")]
    assert {found.name for found in same if found} == {"octavo-site.org/a"}
    assert doi("no doi") is None and address("http://localhost:80/") is None
    assert address("https://cdn-1.example.com/a") is None and address("https://shop.example/") is None
    assert address("https://example-site.com/a") is not None


def test_front_matter_names_authors_places_and_what_the_document_is() -> None:
    metadata = {
        "authors": ["Doe, Jane", "Kim Lee <kim@x.org> and [[Ada Lovelace]]"],
        "doi": "https://doi.org/10.1000/XYZ",
        "location": "Basel",
    }
    found = entities_of(note(metadata=metadata), "It is 10.1000/xyz itself.", NOBODY)
    said = {(mention.entity.label, mention.role) for mention in found}
    assert said == {
        ("Jane Doe", MentionRole.AUTHOR),
        ("Kim Lee", MentionRole.AUTHOR),
        ("Ada Lovelace", MentionRole.AUTHOR),
        ("10.1000/XYZ", MentionRole.OWN),
        ("Basel", MentionRole.MENTION),
    }


def test_notes_about_people_and_projects_name_them_everywhere_else() -> None:
    declared = [
        note("people/Grace Hopper.md", "Grace Hopper", aliases=("Amazing Grace",)),
        note("people/Keys and rules.md", "Keys and rules"),
        note("x/Safety.md", "Safety", tags=("people",)),
        note("x/Heron.md", "Heron", tags=("project",)),
    ]
    known = declared_names(declared)
    found = entities_of(
        note(), "Amazing Grace wrote about Heron, and Grace Hopper's Heron flew. heron. Safety first.", known
    )
    assert [(mention.entity.label, mention.times) for mention in found] == [("Grace Hopper", 2), ("Heron", 2)]
    assert known.maker != NOBODY.maker and known.maker == declared_names(reversed(declared)).maker
    assert entities_of(declared[0], "", known)[0].role is MentionRole.OWN


def test_code_has_addresses_and_no_people() -> None:
    source = NamedDocument("a.py", Kind.CODE, "a.py")
    found = entities_of(source, "# Peter Parker, RFC 2119, https://github.com/owner/name\n@property\n", NOBODY)
    assert {mention.entity.kind for mention in found} == {EntityKind.IDENTIFIER, EntityKind.URL, EntityKind.PROJECT}


def test_a_manifest_names_its_project() -> None:
    manifest = NamedDocument("pyproject.toml", Kind.CONFIG, "pyproject.toml")
    (found,) = entities_of(manifest, '[project]\nname = "heron"\n', NOBODY)
    assert (found.entity.kind, found.entity.label) == (EntityKind.PROJECT, "heron")


def test_what_somebody_else_found_counts_only_where_it_stands() -> None:
    names = [(EntityKind.PERSON, "lin  wei"), (EntityKind.PERSON, "Nobody Here"), (EntityKind.PLACE, "Wei")]
    found = named_in("Lin Wei met Lin\nWei; weir.", names)
    assert [(mention.entity.label, mention.times) for mention in found] == [("lin wei", 2), ("Wei", 2)]
