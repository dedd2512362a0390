"""The graph taken elsewhere: JSON, GraphML and a page that need nothing but themselves."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.graph.export_formats import as_graphml, as_json, page
from octavo.graph.whole_graph_view import GraphView, NodeKind, Shown, ViewEdge, ViewNode, view
from octavo.model.document import Section
from octavo.model.ids import DocumentId, SectionId
from octavo.model.link_graph import Edge, EdgeType, Lookup, Node, ThematicLink
from octavo.model.normalised_text_and_spans import Span

NAMESPACE = {"g": "http://graphml.graphdrawing.org/xmlns"}


def node(name: str, *tags: str, kind: str = "note") -> Node:
    return Node(DocumentId(name), "notes", f"{name}.md", name.title(), kind, tags)


def edge(source: str, target: str | None, path: str = "x", lookup: Lookup = Lookup.WIKI) -> Edge:
    meant = DocumentId(target) if target else None
    return Edge(DocumentId(source), meant, EdgeType.LINKS_TO, 1.0, path, None, "around", Span(0, 1), lookup)


NODES = (node("a", "Sea")._replace(aliases=("alpha",)), node("b", "sea"), node("c"), node("d", kind="commit"))
EDGES = (
    edge("a", "b"),
    edge("a", "b"),
    edge("a", "a"),
    edge("b", None, "Nowhere"),
    edge("c", None, "os", Lookup.MODULE),
    edge("d", "c"),
)
THEMATIC = (ThematicLink(DocumentId("b"), DocumentId("c"), 0.8),)
COMMUNITIES = {DocumentId("a"): 0, DocumentId("b"): 0, DocumentId("c"): 1}


def ids(shown: GraphView) -> list[str]:
    return [node.id for node in shown.nodes]


def pairs(shown: GraphView) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.target, edge.type) for edge in shown.edges]


def test_a_view_has_documents_tags_and_what_people_link_to_in_vain() -> None:
    whole = view(NODES, EDGES, THEMATIC, COMMUNITIES, Shown())
    assert ids(whole) == ["a", "b", "c", "tag:sea", "ghost:nowhere"]
    assert pairs(whole) == [
        ("a", "b", "links_to"),
        ("a", "b", "links_to"),
        ("b", "ghost:nowhere", "links_to"),
        ("b", "c", "thematic_link"),
        ("a", "tag:sea", "mentions"),
        ("b", "tag:sea", "mentions"),
    ]
    assert whole.communities == {0: "B, A"}
    assert [node.degree for node in whole.nodes] == [3, 5, 1, 2, 1]


def test_a_view_leaves_out_what_is_not_wanted() -> None:
    bare = view(NODES, EDGES, THEMATIC, {}, Shown(ghosts=False, tags=False, thematic=False, commits=True))
    assert ids(bare) == ["a", "b", "c", "d"]
    assert pairs(bare) == [("a", "b", "links_to")] * 2 + [("d", "c", "links_to")]
    assert ids(view(NODES, EDGES, (), {}, Shown(collections=("other",)))) == []


def test_of_too_many_nodes_the_most_linked_are_kept() -> None:
    few = view(NODES, EDGES, THEMATIC, {}, Shown(most=2))
    assert ids(few) == ["a", "b"]
    assert few.left_out == 3
    assert pairs(few) == [("a", "b", "links_to")] * 2


def test_a_document_contains_its_sections_and_they_those_below() -> None:
    sections = [
        Section(SectionId("root"), (), 0, "", Span(0, 0)),
        Section(SectionId("s1"), ("One",), 1, "one", Span(0, 9)),
        Section(SectionId("s2"), ("One", "Two"), 2, "two", Span(3, 9)),
    ]
    shown = view(NODES[2:3], (), (), {}, Shown(), {DocumentId("c"): sections})
    assert pairs(shown) == [("c", "s1", "contains"), ("s1", "s2", "contains")]
    assert [node.kind for node in shown.nodes] == [NodeKind.DOCUMENT, NodeKind.SECTION, NodeKind.SECTION]


def test_json_names_only_what_there_is() -> None:
    written = json.loads(json.dumps(as_json(view(NODES, EDGES, THEMATIC, COMMUNITIES, Shown()))))
    assert written["format"] == "octavo-graph-1"
    assert written["nodes"][0] == {
        "id": "a",
        "kind": "document",
        "label": "A",
        "collection": "notes",
        "uri": "a.md",
        "document_kind": "note",
        "community": 0,
        "degree": 3,
        "tags": ["Sea"],
        "aliases": ["alpha"],
    }
    assert written["links"][3] == {"source": "b", "target": "c", "type": "thematic_link", "weight": 0.8}
    assert written["communities"] == [{"community": 0, "name": "B, A"}]


def test_graphml_is_read_back_with_every_node_and_edge() -> None:
    whole = view(NODES, EDGES, THEMATIC, COMMUNITIES, Shown())
    root = ET.fromstring("".join(as_graphml(whole)).encode("utf-8"))
    assert [one.get("id") for one in root.iterfind(".//g:node", NAMESPACE)] == ids(whole)
    assert len(root.findall(".//g:edge", NAMESPACE)) == len(whole.edges)
    declared = {one.get("id") for one in root.iterfind("g:key", NAMESPACE)}
    assert {one.get("key") for one in root.iterfind(".//g:data", NAMESPACE)} <= declared


def test_igraph_reads_the_graphml(tmp_path: Path) -> None:
    igraph = pytest.importorskip("igraph", reason="an independent reader of GraphML")
    path = tmp_path / "graph.graphml"
    path.write_text("".join(as_graphml(view(NODES, EDGES, THEMATIC, COMMUNITIES, Shown()))), "utf-8")
    read = igraph.Graph.Read_GraphML(str(path))
    assert (read.vcount(), read.ecount()) == (5, 6)
    assert read.vs["label"] == ["A", "B", "C", "#Sea", "Nowhere"]


@given(st.text(), st.text())
def test_any_name_survives_in_graphml_and_in_the_page(label: str, context: str) -> None:
    shown = GraphView((ViewNode("n", NodeKind.DOCUMENT, label),), (ViewEdge("n", "n", "links_to", context=context),))
    root = ET.fromstring("".join(as_graphml(shown)).encode("utf-8", "surrogatepass"))
    assert root.find(".//g:node", NAMESPACE) is not None
    written = page(shown, label)
    data = re.search(r'<script id="data" type="application/json">(.*?)</script>', written, re.DOTALL)
    assert data and json.loads(data[1])["nodes"][0][0] == label
    assert written.count("</script>") == 3


def test_the_page_asks_nobody_for_anything() -> None:
    written = page(view(NODES, EDGES, THEMATIC, COMMUNITIES, Shown()), "Notes")
    assert "default-src 'none'" in written
    assert not re.search(r"(?:src|href)\s*=|@import|url\(|fetch\(|XMLHttpRequest|https?://", written)
    assert "@@" not in written


DRIVER = """
const fs = require("fs"), vm = require("vm");
const html = fs.readFileSync(0, "utf8");
const scripts = [...html.matchAll(/<script>(.*?)<\\/script>/gs)].map(one => one[1]);
const data = html.match(/<script id="data"[^>]*>(.*?)<\\/script>/s)[1];
const drawn = {}, held = {}, frames = [];
const pen = new Proxy({}, {
  get: (own, name) => name === "measureText" ? text => ({ width: 6 * text.length })
    : name in own ? own[name] : (...given) => { drawn[name] = (drawn[name] || 0) + 1; },
  set: (own, name, value) => { own[name] = value; return true; },
});
function element(id) {
  return held[id] ||= {
    id, hidden: false, checked: id === "thematic", value: "", textContent: id === "data" ? data : "", style: {},
    dataset: {}, children: [], on: {}, clientWidth: 1200, clientHeight: 800,
    classList: { add() {}, remove() {}, toggle() {} }, getContext: () => pen,
    append(...more) { this.children.push(...more); }, replaceChildren(...all) { this.children = all; },
    addEventListener(name, act) { this.on[name] = act; }, setPointerCapture() {},
  };
}
let made = 0;
const page = {
  document: { getElementById: element, createElement: () => element(`made${made++}`), createTextNode: text => text },
  matchMedia: () => ({ matches: false, addEventListener() {} }),
  devicePixelRatio: 1,
  requestAnimationFrame: act => frames.push(act), addEventListener() {}, performance, console,
};
vm.createContext(page);
vm.runInContext(scripts.join(";"), page);
for (let n = 0; frames.length && n < 1000; n++) frames.shift()();
held.find.value = "a"; held.find.on.input();
held.tags.checked = true; held.tags.on.change();
for (let n = 0; frames.length && n < 1000; n++) frames.shift()();
held.found.children[0].on.click();
console.log(JSON.stringify({
  counts: held.counts.textContent, legend: held.legend.children.length, found: held.found.children.length,
  name: held.name.textContent, links: held.links.children.length, dots: drawn.arc > 0, lines: drawn.lineTo > 0,
}));
"""


def test_the_page_draws_finds_and_lists_in_a_javascript_engine() -> None:
    node_js = shutil.which("node")
    if node_js is None:
        pytest.skip("node is not installed: the page's script is run where it is")
    written = page(view(NODES, EDGES, THEMATIC, COMMUNITIES, Shown()), "Notes")
    done = subprocess.run([node_js, "-e", DRIVER], input=written, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "counts": "4 of 5 nodes, 5 of 6 links",
        "legend": 1,
        "found": 2,
        "name": "A",
        "links": 2,
        "dots": True,
        "lines": True,
    }
