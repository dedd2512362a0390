"""Pages about the library: its state, graph, map, evaluations, collections, projects, jobs, models and memories."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from octavo.errors import InvalidArgument, NotFound, NotIndexed
from octavo.interfaces.presenting.match_highlighting import marks_of
from octavo.interfaces.web.document_addresses import DocumentPlace
from octavo.interfaces.web.hit_excerpts import excerpt
from octavo.interfaces.web.markdown_to_html import markdown
from octavo.interfaces.web.page_rendering import Listed, Pages, given, number
from octavo.lazy_regex import regex
from octavo.operations.graph.graph_export_and_cluster_map import map_data, map_panel
from octavo.operations.library.results import ListedDocument

_CARD_TITLE = regex(r"\A# .*")
MOST_ROWS = 10_000  # nodes of a drawing: more stutter in a browser
_LISTED = 2_000  # documents of a collection on one page


class LibraryPages(Pages):
    def listed(self) -> Listed:
        return self._site.guarded(
            [
                ("/library", self._library, ["GET"]),
                ("/graph", self._graph, ["GET"]),
                ("/map", self._map, ["GET"]),
                ("/evaluation", self._evaluation, ["GET"]),
                ("/collection/{name}", self._collection, ["GET"]),
                ("/project/{name}", self._project, ["GET"]),
                ("/jobs", self._jobs, ["GET"]),
                ("/job/{number:int}", self._job, ["GET"]),
                ("/models", self._models, ["GET"]),
                ("/model/{name}", self._model, ["GET"]),
            ]
        )

    async def _library(self, request: Request) -> Response:
        status = await self._call("status", problems=True)
        return self._page("library.html", status=status, title="Library")

    async def _graph(self, request: Request) -> Response:
        chosen = tuple(request.query_params.getlist("collection"))
        exported = await self._call("graph_export", **given({"collections": chosen}))
        return self._page("graph.html", data=json.dumps(drawing(json.loads(exported.text or "{}"))), title="Graph")

    async def _map(self, request: Request) -> Response:
        """The clusters as a map; where none were made, how to make them."""
        try:
            drawn = map_data(await self._call("cluster_map")) | {"documents": "/document/"}
        except (NotIndexed, InvalidArgument) as missing:
            return self._page("error.html", error=missing, title="Map", part="/map", here="/library")
        return self._page("map.html", data=json.dumps(drawn), panel=map_panel(), title="Map")

    async def _evaluation(self, request: Request) -> Response:
        kept = (await self._call("eval_figures")).figures
        measures = tuple(dict.fromkeys(name for figure in kept for name in figure.metrics))
        groups = {
            name: [figure for figure in kept if figure.dataset == name]
            for name in sorted({figure.dataset for figure in kept})
        }
        return self._page("evaluation.html", groups=groups, measures=measures, title="Evaluation")

    async def _collection(self, request: Request) -> Response:
        name = request.path_params["name"]
        state = (await self._call("collections_list", collections=(name,))).collections[0]
        documents = (await self._call("collections_list", collections=(name,), documents=True)).documents or ()
        status = await self._call("status", problems=True)
        problems = [problem for problem in status.problems or () if problem.collection == name]
        return self._page(
            "collection.html",
            state=state,
            folders=by_folder(documents[:_LISTED]),
            name_of=name_of,
            more=max(0, len(documents) - _LISTED),
            problems=problems,
            title=name,
        )

    async def _project(self, request: Request) -> Response:
        projects = (await self._call("projects_list")).projects
        name = request.path_params["name"]
        project = next((known for known in projects if known.name == name), None)
        if project is None:
            raise NotFound(f"there is no project {name}", hint="the library's page lists them")
        sessions = await self._site.maybe("sessions_list", project=name)
        return self._page("project.html", project=project, sessions=sessions, title=name)

    async def _jobs(self, request: Request) -> Response:
        return self._page("jobs.html", jobs=(await self._call("jobs_list")).jobs, title="Jobs")

    async def _job(self, request: Request) -> Response:
        number = request.path_params["number"]
        job = next((listed for listed in (await self._call("jobs_list")).jobs if listed.job == number), None)
        if job is None:
            raise NotFound(f"there is no job {number}", hint="jobs that have ended are deleted by and by")
        return self._page("jobs.html", jobs=(job,), title=f"Job {number}")

    async def _models(self, request: Request) -> Response:
        profiles = await self._call("profiles_list")
        models = await self._call("models_list")
        return self._page("models.html", profiles=profiles.profiles, models=models.models, title="Models")

    async def _model(self, request: Request) -> Response:
        shown = await self._call("models_show", name=request.path_params["name"])
        card = markdown(_CARD_TITLE.sub("## Card", shown.card or "", count=1), DocumentPlace("", ""))
        return self._page("model.html", model=shown.model, card=card, title=shown.model.name)


def by_folder(documents: Sequence[ListedDocument]) -> dict[str, list[ListedDocument]]:
    """Documents below the folder they are in, those in none first."""
    folders: dict[str, list[ListedDocument]] = {}
    for document in sorted(documents, key=lambda document: (folder_of(document), document.uri)):
        folders.setdefault(folder_of(document), []).append(document)
    return folders


def folder_of(document: ListedDocument) -> str:
    return document.uri.rpartition("/")[0]


def name_of(document: ListedDocument) -> str:
    return document.uri.rpartition("/")[2]


def drawing(exported: dict[str, Any]) -> dict[str, Any]:
    """What the script draws: nodes as rows, edges as pairs of their places. The most linked stay where too many are."""
    nodes = exported.get("nodes", ())
    kept = sorted(nodes, key=lambda node: (-node.get("degree", 0), node["id"]))[:MOST_ROWS]
    places = {node["id"]: place for place, node in enumerate(kept)}
    lines = Counter(
        (places[link["source"]], places[link["target"]], link["type"])
        for link in exported.get("links", ())
        if link["source"] in places and link["target"] in places
    )
    return {
        "title": "Graph",
        "documents": "/document/",
        "leftOut": len(nodes) - len(kept),
        "nodes": [
            [
                node["label"],
                node["kind"],
                node.get("collection", ""),
                node.get("document_kind", "") if node["kind"] == "entity" else node.get("uri", ""),
                node.get("community", -1),
            ]
            for node in kept
        ],
        "edges": [[source, target, kind, count] for (source, target, kind), count in lines.items()],
        "communities": [[community["community"], community["name"]] for community in exported.get("communities", ())],
    }


_NOWHERE = DocumentPlace("", "")


class MemoryPages(Pages):
    def listed(self) -> Listed:
        return self._site.guarded([("/memories", self._memories, ["GET"]), ("/memory/{item}", self._memory, ["GET"])])

    async def _memories(self, request: Request) -> Response:
        query = request.query_params.get("q", "").strip()
        answer = await self._call("recall", query=query, limit=50)
        find = marks_of(query)
        return self._page(
            "memories.html",
            answer=answer,
            query=query,
            mark=lambda passage: excerpt(passage, _NOWHERE, find),
            title="Memories",
        )

    async def _memory(self, request: Request) -> Response:
        item, parameters = request.path_params["item"], request.query_params
        history = await self._call("memory_history", item=item)
        changes = history.changes
        at = min(number(parameters.get("at")) or len(changes), len(changes))
        version = number(parameters.get("version")) or (changes[at - 1].version if parameters.get("at") else None)
        memory = await self._call(
            "memory_get", item=item, **given({"version": version, "as_of": "" if version else parameters.get("as_of")})
        )
        diff = await self._call("memory_diff", item=item) if len(history.versions) > 1 else None
        body = markdown(memory.text, _NOWHERE)
        if len(history.versions) == 1 and body.strip() == Markup("<p>{}</p>").format(memory.title):
            body = Markup("")  # the heading says it already
        return self._page(
            "memory.html",
            memory=memory,
            history=history,
            at=at,
            then=changes[at - 1] if parameters.get("at") else None,
            diff=diff,
            body=body,
            title=memory.title,
        )
