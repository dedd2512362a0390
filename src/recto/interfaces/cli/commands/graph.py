"""`recto graph`: what points where, what belongs together, and ways to take it elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recto.interfaces.cli import completing, output
from recto.interfaces.cli.layout import Line, Part, columns, count
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.progress import progress
from recto.interfaces.cli.results import files_at
from recto.interfaces.cli.session import opened
from recto.model.graph import EdgeType

if TYPE_CHECKING:
    from recto.graph.view import Shown
    from recto.operations.graph import NeighborsAnswer
    from recto.operations.graph_whole import BuildAnswer, CommunitiesAnswer, GhostsAnswer
    from recto.operations.related import RelatedAnswer

_F = TypeVar("_F", bound=Callable[..., Any])
_TYPES = tuple(one.value for one in EdgeType)
_ARROWS = {"out": "→", "in": "←", "both": "↔"}
_PAGE = Path("recto-graph.html")

_collection = click.option(
    "-c", "--collection", shell_complete=completing.collections, help="Where, if several have it."
)
_reference = click.argument("reference", metavar="REF", shell_complete=completing.uris)


@click.group()
@shared_options
def graph() -> None:
    """See what points where and what belongs together, and take the graph elsewhere."""


@graph.command()
@_reference
@_collection
@click.option(
    "--direction", type=click.Choice(("out", "in", "both")), default="both", help="Which way; both unless said."
)
@click.option("--type", "types", multiple=True, type=click.Choice(_TYPES), help="Only edges of this type.")
@click.option("--hops", type=click.IntRange(1, 4), default=1, help="How many edges away; 1 unless said.")
@click.option("-n", "--limit", type=click.IntRange(1, 200), default=30, help="How many each way; 30 unless said.")
@shared_options
@pass_choices
def neighbors(
    choices: Choices,
    reference: str,
    collection: str | None,
    direction: str,
    types: tuple[str, ...],
    hops: int,
    limit: int,
) -> None:
    """List what a document points at and what points at it, with the words around each link."""
    from recto.operations.graph import NeighborsRequest, graph_neighbors

    with opened(choices) as session:
        found = graph_neighbors(session.engine, NeighborsRequest(reference, collection, direction, types, hops, limit))
        files = files_at((one.place for one in found.edges if one.place), session.roots())
    rows = [_told(asdict(one)) for one in found.edges]
    names = ("direction", "type", "target", "place", "anchor", "line", "missing", "context")
    choices.answer(Answer(_told(asdict(found)), rows, names, lambda width: _neighbors(found), files=files))


@graph.command()
@_reference
@_collection
@click.option("-n", "--limit", type=click.IntRange(1, 200), default=10, help="How many; 10 unless said.")
@click.option("--links-only", is_flag=True, help="Leave out what is only near in meaning.")
@shared_options
@pass_choices
def related(choices: Choices, reference: str, collection: str | None, limit: int, links_only: bool) -> None:
    """List the documents that belong to one, and why."""
    from recto.operations.related import RelatedRequest
    from recto.operations.related import related as asked

    with opened(choices) as session:
        found = asked(session.engine, RelatedRequest(reference, collection, limit, by_meaning=not links_only))
        files = files_at((one.place for one in found.documents), session.roots())
    rows = [asdict(one) for one in found.documents]
    names = ("place", "title", "kind", "score", "why")
    choices.answer(Answer(asdict(found), rows, names, lambda width: _related(found), files=files))


@graph.command()
@click.option("--no-communities", is_flag=True, help="Only thematic links.")
@click.option("--no-thematic-links", is_flag=True, help="Only communities.")
@click.option(
    "--resolution", type=click.FloatRange(0, 100, min_open=True), default=1.0, help="Higher: more, smaller ones."
)
@click.option("--seed", type=click.IntRange(0), default=0, help="The same seed gives the same communities.")
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.6, help="Least cosine of a thematic link.")
@click.option("--neighbours", type=click.IntRange(1, 100), default=5, help="Thematic links from one document at most.")
@click.option("--later", is_flag=True, help="Leave it to a worker: `recto worker`.")
@shared_options
@pass_choices
def build(
    choices: Choices,
    no_communities: bool,
    no_thematic_links: bool,
    resolution: float,
    seed: int,
    threshold: float,
    neighbours: int,
    later: bool,
) -> None:
    """Find communities, and link what is near in meaning."""
    from recto.operations.graph_whole import BuildRequest, build_text, graph_build

    asked = BuildRequest(
        communities=not no_communities,
        thematic_links=not no_thematic_links,
        resolution=resolution,
        seed=seed,
        threshold=threshold,
        neighbours=neighbours,
        wait=not later,
    )
    with opened(choices) as session:
        done: BuildAnswer = graph_build(session.engine, asked, progress(quiet=choices.quiet))
    row = _told(asdict(done))
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(build_text(done)),)], brief=True))


@graph.command()
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=20, help="How many; 20 unless said.")
@click.option("--members", type=click.IntRange(1, 1000), default=5, help="How many documents of each; 5 unless said.")
@click.option("--smallest", type=click.IntRange(1), default=2, help="Only those of at least so many; 2 unless said.")
@shared_options
@pass_choices
def communities(choices: Choices, limit: int, members: int, smallest: int) -> None:
    """List groups of documents that point at each other more than at others."""
    from recto.operations.graph_whole import CommunitiesRequest, graph_communities

    with opened(choices) as session:
        found = graph_communities(session.engine, CommunitiesRequest(limit, members, smallest))
    rows = [asdict(one) for one in found.communities]
    names = ("community", "name", "size", "tags", "documents")
    choices.answer(Answer(_told(asdict(found)), rows, names, lambda width: _communities(found)))


@graph.command()
@click.option("-n", "--limit", type=click.IntRange(1, 10000), default=50, help="How many; 50 unless said.")
@shared_options
@pass_choices
def ghosts(choices: Choices, limit: int) -> None:
    """List what is linked to and not there, most wanted first."""
    from recto.operations.graph_whole import GhostsRequest, graph_ghosts

    with opened(choices) as session:
        found = graph_ghosts(session.engine, GhostsRequest(limit))
    rows = [asdict(one) for one in found.ghosts]
    names = ("target", "links", "source")
    choices.answer(Answer({"ghosts": rows}, rows, names, lambda width: _ghosts(found)))


def _shown_options(command: _F) -> _F:
    for option in reversed(
        (
            click.option(
                "-c",
                "--collection",
                "collections",
                multiple=True,
                shell_complete=completing.collections,
                help="Only this collection; may be given several times.",
            ),
            click.option("--no-ghosts", is_flag=True, help="Leave out what is linked to and not there."),
            click.option("--no-tags", is_flag=True, help="Leave out tags."),
            click.option("--no-thematic-links", is_flag=True, help="Leave out links by meaning."),
            click.option("--commits", is_flag=True, help="With commits and the files they change."),
        )
    ):
        command = option(command)
    return command


@graph.command()
@click.option("--to", type=click.Choice(("json", "graphml")), default="json", help="Which format; json unless said.")
@click.option(
    "-o", "--output", "path", type=click.Path(dir_okay=False, path_type=Path), help="Where; stdout unless said."
)
@click.option("--sections", is_flag=True, help="With headings, and what contains them.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@_shown_options
@shared_options
@pass_choices
def export(choices: Choices, /, to: str, path: Path | None, sections: bool, force: bool, **shown: Any) -> None:
    """Write the graph for other programs: JSON as node-link data, or GraphML for Gephi, yEd and networkx."""
    import json

    from recto.graph.export import as_graphml, as_json
    from recto.operations.graph_export import graph_view

    with opened(choices) as session:
        view = graph_view(session.engine, _shown(shown), sections=sections)
    text = json.dumps(as_json(view), ensure_ascii=False, indent=1) + "\n" if to == "json" else "".join(as_graphml(view))
    if path is None:
        output.plain(text)
        return
    _write(path, text, force=force)
    _wrote(choices, path, len(view.nodes), len(view.edges))


@graph.command()
@click.option(
    "-o",
    "--output",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    default=_PAGE,
    help="Where; recto-graph.html unless said.",
)
@click.option("--most", type=click.IntRange(1, 20_000), default=3_000, help="Draw the most linked; 3000 unless said.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@_shown_options
@shared_options
@pass_choices
def plot(choices: Choices, /, path: Path, most: int, force: bool, **shown: Any) -> None:
    """Draw the graph as a page to open in a browser: communities in colour, nothing fetched from anywhere."""
    from recto.graph.page import page
    from recto.operations.graph_export import graph_view

    with opened(choices) as session:
        view = graph_view(session.engine, _shown(shown, most))
        named = shown["collections"] or [one.name for one in session.engine.collections()]
    title = f"Recto: {', '.join(named)}"
    _write(path, page(view, title), force=force)
    _wrote(choices, path, len(view.nodes), len(view.edges))


def _shown(chosen: dict[str, Any], most: int | None = None) -> Shown:
    from recto.graph.view import Shown

    return Shown(
        ghosts=not chosen["no_ghosts"],
        tags=not chosen["no_tags"],
        thematic=not chosen["no_thematic_links"],
        commits=chosen["commits"],
        collections=chosen["collections"],
        most=most,
    )


def _write(path: Path, text: str, *, force: bool) -> None:
    from recto.errors import InvalidArgument, StorageError

    try:
        with path.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise InvalidArgument(f"{path} is there already", hint="give --force to replace it, or another -o") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}", hint="give another place with -o") from error


def _wrote(choices: Choices, path: Path, nodes: int, edges: int) -> None:
    row = {"path": str(path), "nodes": nodes, "edges": edges}
    said = f"{path}: {count(nodes, 'node')}, {count(edges, 'edge')}"
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(said),)], files=[str(path)], brief=True))


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def _neighbors(found: NeighborsAnswer) -> Iterator[Line]:
    yield Part(found.title, "title"), Part(f"  {found.collection}/{found.uri}", "place")
    yield (Part(f"{count(found.backlinks, 'link')} from {count(found.linking, 'document')} to it", "dim"),)
    for one in found.edges:
        missing = {"document": "  not there", "anchor": "  no such heading or block"}.get(one.missing or "", "")
        anchor = f"#{one.anchor}" if one.anchor and one.place and one.direction == "out" else ""
        line = f":{one.line}" if one.line and one.direction == "in" else ""
        yield (
            Part(f"{_ARROWS[one.direction]} "),
            Part(f"{one.type:<13} ", "dim"),
            Part(f"{one.place or one.target}{line}{anchor}", "place" if one.place else ""),
            Part(missing, "warn"),
        )
        if one.context:
            yield (Part(f"                {one.context}", "dim"),)
    if not found.edges:
        yield (Part("It points at nothing, and nothing points at it."),)
    if found.further:
        yield (Part("Farther away", "heading"),)
        yield from columns(
            [
                (Part(one.place, "place"), Part(f"{one.hops} hops"), Part(f"{one.score:.2f}", "dim"))
                for one in found.further
            ]
        )


def _related(found: RelatedAnswer) -> Iterator[Line]:
    rows = [
        (Part(f"{one.score:.2f}", "dim"), Part(one.place, "place"), Part(", ".join(one.why))) for one in found.documents
    ]
    yield from columns(rows) if rows else [(Part("Nothing is linked to it or says similar things."),)]


def _communities(found: CommunitiesAnswer) -> Iterator[Line]:
    if found.found_at is None:
        yield (Part("No communities have been looked for yet: run `recto graph build`."),)
        return
    yield (
        Part(f"{count(found.total, 'group')}, modularity {found.modularity:.2f}, found {found.found_at[:16]}", "dim"),
    )
    if not found.current:
        yield (Part("The library has changed since: run `recto graph build`.", "warn"),)
    for one in found.communities:
        tags = f"  {' '.join('#' + tag for tag in one.tags)}" if one.tags else ""
        yield (
            Part(f"{one.community:>3}  "),
            Part(one.name, "title"),
            Part(f"  {count(one.size, 'document')}{tags}", "dim"),
        )
        for place in one.documents:
            yield (Part(f"     {place}", "place"),)


def _ghosts(found: GhostsAnswer) -> Iterator[Line]:
    rows = [(Part(str(one.links)), Part(one.target), Part(f"in {one.source}", "dim")) for one in found.ghosts]
    yield from columns(rows) if rows else [(Part("Every link leads somewhere."),)]
