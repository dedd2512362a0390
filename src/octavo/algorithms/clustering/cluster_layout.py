"""A map of clusters: every cluster is a disc, near those that mean the same, and no disc covers another.

Discs are placed by forces (Fruchterman and Reingold, Graph Drawing by Force-directed Placement, 1991), in which each is
drawn to the few whose centroids are most like its own, and then pushed apart as in the cartograms of Dorling (1996).
Nothing is random: same input, same map.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_NEIGHBOURS = 4  # clusters that a cluster is drawn to
_PAIRS = 12_000_000  # of clusters that are looked at in all: what hundreds of them may cost
_ROUNDS = 12  # of the power method
_GAP = 0.25  # between two discs, as a part of the mean radius
_INNERMOST = 3  # points of a disc's innermost ring
_ASPECT = 1.3  # a window is wider than it is high


def cluster_layout(vectors: NDArray[np.float32], labels: NDArray[np.int64]) -> NDArray[np.float32]:
    """A place on the plane for every vector. Those without a cluster (a negative label) stand between the clusters they
    are most like."""
    groups = np.unique(labels[labels >= 0])
    if not len(groups):
        return _principal(vectors.astype(np.float64)).astype(np.float32)
    full = vectors.astype(np.float64)
    members = [np.flatnonzero(labels == group) for group in groups]
    centroids = np.array([full[inside].mean(axis=0) for inside in members])
    radii = np.sqrt([float(len(inside)) for inside in members])
    middles = disc_places(centroids, radii)
    places = np.zeros((len(full), 2))
    for inside, centroid, middle, radius in zip(members, centroids, middles, radii, strict=True):
        places[inside] = middle + radius * _in_disc(full[inside] - centroid)
    outside = np.flatnonzero(labels < 0)
    places[outside] = _between(full[outside], centroids, middles)
    return places.astype(np.float32)


def disc_places(centroids: Floats, radii: Floats) -> Floats:
    """The middles of discs with these radii: none covers another, and those with like centroids are neighbours."""
    count = len(centroids)
    if count == 1:
        return np.zeros((1, 2))
    touching = radii[:, None] + radii[None, :] + _GAP * radii.mean()
    np.fill_diagonal(touching, 0.0)
    pulls = _likeness_of_neighbours(centroids)
    places = _principal(centroids)
    # Clusters at one spot part by their numbers.
    turns = np.arange(count) * 2.399963
    places += 1e-3 * np.column_stack((np.cos(turns), np.sin(turns)))
    places *= 1.5 * np.sqrt((radii**2).sum()) / max(1e-9, float(np.sqrt((places**2).sum(axis=1).mean())))
    steps = int(np.clip(_PAIRS / count**2, 100, 300))
    for step in range(steps):
        heat, far = 1.0 - step / steps, _distances(places)
        away = 0.5 * np.maximum(0.0, touching - far) + heat * 0.02 * touching**2 / far
        towards = heat * 0.12 * pulls * np.maximum(0.0, far - touching)
        places += 0.6 * (_pushed(places, (away - towards) / far) - 0.01 * (0.3 + heat) * places)
    for step in range(steps):
        # Towards the middle while there is room, and apart: the window is filled.
        if step < steps / 2:
            width, height = places.max(axis=0) - places.min(axis=0) + 2 * radii.mean()
            too_wide = np.clip(width / height / _ASPECT, 0.98, 1.02)
            places *= 0.993 * np.array((min(1.0, 1.0 / too_wide), min(1.0, too_wide)))
        far = _distances(places)
        places += 0.5 * _pushed(places, np.maximum(0.0, touching - far) / far)
    bare = radii[:, None] + radii[None, :]
    np.fill_diagonal(bare, 0.0)
    return places * max(1.0, float((bare / _distances(places)).max()))


def _pushed(places: Floats, strengths: Floats) -> Floats:
    """How far each place moves when every other one pushes it, by a strength times the way between them."""
    moves: Floats = places * strengths.sum(axis=1, keepdims=True) - strengths @ places
    return moves


def _distances(places: Floats) -> Floats:
    x, y = places[:, 0], places[:, 1]
    far: Floats = np.hypot(x[:, None] - x[None, :], y[:, None] - y[None, :])
    np.fill_diagonal(far, 1.0)
    return np.maximum(far, 1e-6, out=far)


def _likeness_of_neighbours(centroids: Floats) -> Floats:
    """How much each cluster is drawn to each other one: from 0, for all but the few that are most like it, to 1."""
    centred = centroids - centroids.mean(axis=0)
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)
    likeness = centred @ centred.T
    np.fill_diagonal(likeness, -np.inf)
    kept = min(_NEIGHBOURS, len(centroids) - 1)
    least = np.sort(likeness, axis=1)[:, -kept][:, None]
    nearest = np.where(likeness >= least, np.clip(likeness, 0.05, 1.0), 0.0)
    symmetric: Floats = np.maximum(nearest, nearest.T)
    return symmetric


def _in_disc(offsets: Floats) -> Floats:
    """Places in the unit disc, which they fill evenly: the smaller an offset, the nearer to the middle."""
    flat = _principal(offsets)
    flat /= np.maximum(flat.std(axis=0), 1e-9)
    order = np.argsort(np.linalg.norm(offsets, axis=1), kind="stable")
    far = np.empty(len(offsets))
    far[order] = np.sqrt((np.arange(len(offsets)) + 0.5) / len(offsets))
    # Evenly around the middle as well, at every distance from it: along two directions alone, most clusters would be
    # arcs and rings.
    angles, turns = np.arctan2(flat[:, 1], flat[:, 0]), np.empty(len(offsets))
    rings = (far * np.ceil(np.sqrt(len(offsets) / _INNERMOST))).astype(np.int64)
    for ring in range(int(rings.max()) + 1):
        inside = np.flatnonzero(rings == ring)
        around = inside[np.argsort(angles[inside], kind="stable")]
        turns[around] = 2.0 * np.pi * (np.arange(len(inside)) + 0.5 * (ring % 2)) / max(1, len(inside))
    return np.column_stack((far * np.cos(turns), far * np.sin(turns)))


def _between(vectors: Floats, centroids: Floats, middles: Floats) -> Floats:
    likeness = vectors @ centroids.T
    least = np.sort(likeness, axis=1)[:, -min(3, len(centroids))][:, None] if len(vectors) else likeness
    weights = np.where(likeness >= least, np.exp(8.0 * (likeness - likeness.max(axis=1, initial=-1.0)[:, None])), 0.0)
    mean: Floats = (weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)) @ middles
    return mean


def _principal(vectors: Floats) -> Floats:
    """Coordinates along the two directions that vary most, nearly (by the power method)."""
    centred = vectors - vectors.mean(axis=0)
    flat = np.zeros((len(vectors), 2))
    for number in range(2):
        axis = centred[np.linalg.norm(centred, axis=1).argmax()]
        for _ in range(_ROUNDS):
            axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
            axis = centred.T @ (centred @ axis)
        axis = axis / max(float(np.linalg.norm(axis)), 1e-12)
        flat[:, number] = centred @ axis
        centred = centred - np.outer(flat[:, number], axis)
    return flat
