"""`recto cluster`: chunks grouped by meaning, and a map of them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from recto.interfaces.cli.layout import Part, count
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened


@click.group()
@shared_options
def cluster() -> None:
    """Group the library's chunks by meaning, and draw a map of them."""


@cluster.command()
@click.option("--algorithm", type=click.Choice(("kmeans", "hdbscan")), default="kmeans", show_default=True)
@click.option("--k", "groups", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Of k-means.")
@click.option("--seed", type=int, default=0, show_default=True)
@shared_options
@pass_choices
def build(choices: Choices, algorithm: str, groups: int, seed: int) -> None:
    """Make the clusters that the `dense_clusters` stage searches in. HDBSCAN needs recto[cluster]."""
    from recto.operations.clusters import cluster_build

    with opened(choices) as session:
        made = cluster_build(session.engine, algorithm, groups, seed)
    row = asdict(made)
    said = f"{count(made.chunks, 'chunk')} in {count(made.clusters, 'cluster')} of {made.smallest} to {made.largest}"
    said += f", {made.unclustered} in none" if made.unclustered else ""
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(said),)], brief=True))


@cluster.command()
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default=Path("map.html"), show_default=True)
@shared_options
@pass_choices
def plot(choices: Choices, output: Path) -> None:
    """Draw the library as a page: each chunk a point, near those that mean the same. UMAP is used if installed."""
    from recto.operations.clusters import cluster_map

    with opened(choices) as session:
        drawn = cluster_map(session.engine)
    output.write_text(drawn, "utf-8")
    row = {"output": str(output), "bytes": len(drawn.encode())}
    text = f"Drawn to {output}. Open it in a browser."
    choices.answer(Answer(row, [row], tuple(row), lambda width: [(Part(text),)], brief=True))
