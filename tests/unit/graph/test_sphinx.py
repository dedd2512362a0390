"""References by label and by page, as documentation made with Sphinx or MyST has them."""

from __future__ import annotations

from octavo.algorithms.links.link_resolution import Resolver
from octavo.algorithms.links.sphinx_label_and_role_extraction import SphinxRole, labels, roles
from octavo.algorithms.text.document_name_normalisation import name_match
from octavo.graph.edge_extraction import linked
from octavo.model.document import Document, Kind, Source
from octavo.model.ids import CollectionId, DocumentId
from octavo.model.link_graph import EdgeType
from octavo.parsing.git_commit_parser import CommitParser
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.plaintext import PlaintextParser

HERE = CollectionId("here")


def read(uri: str, text: str) -> Document:
    parser = MarkdownParser() if uri.endswith(".md") else PlaintextParser()
    return parser.parse(Source(DocumentId(uri), uri, text, 0.0))


def test_labels_stand_on_lines_of_their_own() -> None:
    text = ".. _Tune Guide:\n\nTune\n====\n\n(my-label)=\n## Part\n\nno (label)= here\n.. _`quoted one`:\n"
    assert list(labels(text)) == ["tune guide", "my-label", "quoted one"]
    assert list(labels("nothing of the kind (really)")) == []


def test_roles_are_found_with_or_without_a_text_of_their_own() -> None:
    text = (
        "See {ref}`my-label`, :ref:`a text <other label>`, :doc:`/guide/start`, :class:`Thing`, :doc:`click:testing`."
    )
    found = list(roles(text))
    assert [(one.page, one.target) for one in found] == [
        (False, "my-label"),
        (False, "other label"),
        (True, "/guide/start"),
    ]
    assert text[found[0].start : found[0].end] == "{ref}`my-label`"
    assert list(roles("`code` and {curly} braces")) == []
    assert isinstance(found[0], SphinxRole)


def test_a_reference_leads_to_the_document_with_the_label_and_a_page_to_the_page() -> None:
    documents = [
        read("start.md", "# Start\n\nSee {ref}`The-Label`, {ref}`nowhere` and {doc}`guide/deep`.\n"),
        read("guide/deep.rst", ".. _the-label:\n\nDeep\n====\n\nBack to :doc:`/start`.\n"),
        read("the-label.md", "# A file of the same name\n"),
    ]
    held = [linked(document) for document in documents]
    resolver = Resolver(
        (name.name, name_match(number, HERE, documents[number].uri, name.kind, name.path))
        for number, one in enumerate(held)
        for name in one.names
    )
    found = [[resolver.resolve(link.reference, HERE) for link in one.links] for one in held]
    assert found == [[1, None, 1], [0], []]
    assert held[0].links[0].type is EdgeType.LINKS_TO
    assert held[0].links[0].context.startswith("# Start See {ref}`The-Label`")


def test_a_commit_refers_to_what_its_message_names_and_not_to_what_its_diff_quotes() -> None:
    text = "commit 1a\n\nSubject\n\nSee :ref:`said`.\n\nDiff:\ndiff --git a/x b/x\n+See :ref:`quoted`.\n"
    source = Source(DocumentId("c"), ".git/commits/1a", text, 0.0, kind=Kind.COMMIT)
    assert [link.reference.path for link in linked(CommitParser().parse(source)).links] == ["said"]


def test_the_top_of_a_site_may_be_a_folder_of_the_repository() -> None:
    documents = [
        read("docs/api.rst", "See :doc:`/context`, :doc:`/deploying/index` and :doc:`/web/nowhere`.\n"),
        read("docs/tutorial/first/views.md", "[context](/context.md), {doc}`/tutorial/first`, [top](/README)\n"),
        read("docs/context.rst", "Context\n=======\n"),
        read("docs/deploying/index.rst", "Deploying\n=========\n"),
        read("docs/tutorial/first/index.md", "# First\n"),
        read("other/context.md", "# Another\n"),
    ]
    held = [linked(document) for document in documents]
    resolver = Resolver(
        (name.name, name_match(number, HERE, documents[number].uri, name.kind, name.path))
        for number, one in enumerate(held)
        for name in one.names
    )
    found = [[resolver.resolve(link.reference, HERE) for link in one.links] for one in held[:2]]
    assert found == [[2, 3, None], [2, None, 4]]


def test_plain_text_is_referred_to_without_its_ending() -> None:
    documents = [
        read(
            "docs/index.txt",
            "See :doc:`topics/urls`, :doc:`/topics/urls`, :doc:`topics/i18n/index`, :doc:`ref/urls`.\n",
        ),
        read("docs/topics/urls.txt", "URLs\n====\n"),
        read("docs/topics/i18n/index.txt", "Languages\n=========\n"),
        read("docs/ref/urls.md", "# URLs\n"),
        read("docs/ref/urls.txt", "URLs\n====\n"),
    ]
    held = [linked(document) for document in documents]
    resolver = Resolver(
        (name.name, name_match(number, HERE, documents[number].uri, name.kind, name.path))
        for number, one in enumerate(held)
        for name in one.names
    )
    assert [resolver.resolve(link.reference, HERE) for link in held[0].links] == [1, 1, 2, 3]
