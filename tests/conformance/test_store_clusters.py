"""Clusters of texts, on every engine: what is written later joins the nearest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import samples
from set_clock import SetClock

from octavo.model.projects_and_collections import Collection
from octavo.model.stored_rows import VectorRow
from octavo.model.text_clusters import NO_CLUSTER, ClusteringState
from octavo.sql_repositories.store import Store

PROFILE = samples.embedding_profile()
MIDDLES = np.eye(PROFILE.dimensions, dtype=np.float32)[:2]


def embed(store: Store, within: Collection, direction: int) -> None:
    """Gives what is pending vectors that lie at one of the middles."""
    vector = np.eye(PROFILE.dimensions, dtype="<f2")[direction].tobytes()
    pending = store.embeddings.pending(within.project_id, PROFILE)
    with store.transaction():
        store.embeddings.put(within.project_id, PROFILE, [VectorRow(key, vector) for key in pending])


def test_a_vector_that_is_written_later_joins_the_cluster_with_the_nearest_middle(
    store: Store, notes: Collection, clock: SetClock
) -> None:
    project = notes.project_id
    assert store.clusters.state(project) is None
    assert store.clusters.current(project, PROFILE) is None
    with store.transaction():
        before = samples.put(store, notes, samples.prepared(notes, "a.md", "one", "two"))
    embed(store, notes, 0)
    inputs = store.embeddings.assignments(project)[:, 1].tolist()
    with store.transaction():
        labels = {inputs[0]: 0, inputs[1]: NO_CLUSTER}
        store.clusters.replace(project, (PROFILE,), MIDDLES, labels, 2)
    assert store.clusters.state(project) == ClusteringState(2, clock.now)
    with store.transaction():
        later = samples.put(store, notes, samples.prepared(notes, "b.md", "three"))
    assert store.clusters.of_chunks(project) == {before[0]: 0, before[1]: NO_CLUSTER}
    embed(store, notes, 1)
    assert store.clusters.of_chunks(project) == {before[0]: 0, before[1]: NO_CLUSTER, later[0]: 1}
    found = store.clusters.current(project, PROFILE)
    assert found is not None
    assert found.centroids.tolist() == MIDDLES.tolist()
    near = found.nearest(MIDDLES[1], 1)
    assert near == [1]
    assert list(store.clusters.members(project, near)) == [later[0]]
    assert list(store.clusters.members(project, [*near, NO_CLUSTER])) == [before[1], later[0]]


def test_clusters_are_of_the_vectors_they_were_made_of_and_of_their_project(store: Store, notes: Collection) -> None:
    project, other = notes.project_id, samples.ensure(store, project="other").project_id
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one"))
    embed(store, notes, 0)
    inputs = store.embeddings.assignments(project)[:, 1].tolist()
    with store.transaction():
        store.clusters.replace(project, (PROFILE,), MIDDLES, {inputs[0]: 0}, 1)
    assert store.clusters.current(project, replace(PROFILE, revision="another")) is None
    assert store.clusters.state(other) is None
    assert not store.clusters.of_chunks(other)
    with store.transaction():
        store.clusters.replace(project, (PROFILE,), MIDDLES[:1], {inputs[0]: NO_CLUSTER}, 1)
    assert list(store.clusters.of_chunks(project).values()) == [NO_CLUSTER]


def test_a_chunk_that_goes_is_in_no_cluster(store: Store, notes: Collection) -> None:
    project = notes.project_id
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "one"))
    embed(store, notes, 0)
    inputs = store.embeddings.assignments(project)[:, 1].tolist()
    with store.transaction():
        store.clusters.replace(project, (PROFILE,), MIDDLES, {inputs[0]: 0}, 1)
        kept = samples.put(store, notes, samples.prepared(notes, "a.md", "another"))
    assert not store.clusters.members(project, [0, 1])
    embed(store, notes, 1)
    assert list(store.clusters.members(project, [0, 1])) == list(kept)
