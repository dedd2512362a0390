"""The map of clusters: discs that do not cover each other, near those that mean the same."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from octavo.algorithms.clustering.cluster_layout import cluster_layout, disc_places


def _clusters(
    count: int, each: int, *, seed: int = 0, spread: float = 0.3
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    chance = np.random.default_rng(seed)
    centres = chance.normal(size=(count, 24))
    labels = np.repeat(np.arange(count), each)
    vectors = centres[labels] + spread * chance.normal(size=(count * each, 24))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit.astype(np.float32), labels


@pytest.mark.parametrize(("count", "each"), [(2, 5), (7, 40), (60, 9)])
def test_every_point_is_in_its_own_disc_and_no_disc_covers_another(count: int, each: int) -> None:
    # As mixed as vectors of text are: along the two directions that vary most, the clusters would be one cloud.
    vectors, labels = _clusters(count, each, spread=1.0)
    places = cluster_layout(vectors, labels)
    radius = np.sqrt(each)
    middles = np.array([places[labels == group].mean(axis=0) for group in range(count)])
    assert (np.linalg.norm(places - middles[labels], axis=1) < 2 * radius).all()
    discs = disc_places(
        np.array([vectors[labels == group].mean(axis=0) for group in range(count)], dtype=np.float64),
        np.full(count, radius),
    )
    assert (np.linalg.norm(places - discs[labels], axis=1) <= radius + 1e-3).all()
    apart = np.linalg.norm(discs[:, None] - discs[None, :], axis=2) + np.eye(count) * 1e9
    assert apart.min() >= 2 * radius - 1e-6


def test_clusters_that_mean_the_same_are_neighbours() -> None:
    chance = np.random.default_rng(1)
    themes = np.repeat(chance.normal(size=(4, 24)), 5, axis=0)
    places = disc_places(themes + 0.2 * chance.normal(size=themes.shape), np.full(20, 3.0))
    apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
    theme = np.arange(20) // 5
    same = theme[:, None] == theme[None, :]
    assert apart[same].mean() < apart[~same].mean() / 1.5


def test_the_same_vectors_give_the_same_map() -> None:
    vectors, labels = _clusters(6, 8)
    assert (cluster_layout(vectors, labels) == cluster_layout(vectors, labels)).all()


def test_vectors_without_a_cluster_stand_between_the_clusters() -> None:
    vectors, labels = _clusters(5, 10)
    labels[::7] = -1
    places = cluster_layout(vectors, labels)
    inside = places[labels >= 0]
    assert (places[labels < 0] >= inside.min(axis=0)).all()
    assert (places[labels < 0] <= inside.max(axis=0)).all()


@pytest.mark.parametrize("labels", [[-1, -1, -1], [0, 0, 0], [0, 1, 2]])
def test_copies_of_one_text_have_places_too(labels: list[int]) -> None:
    vectors = np.ones((3, 4), dtype=np.float32) / 2
    places = cluster_layout(vectors, np.array(labels))
    assert np.isfinite(places).all()


def test_one_vector_is_a_map() -> None:
    assert cluster_layout(np.ones((1, 4), dtype=np.float32), np.array([0])).shape == (1, 2)
