"""What else lies in a library says nothing of how well the model reads a query."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from workbench import Bench

from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import DEFAULT_PROFILE, PROFILES

BUNDLED = {"embedding": {"provider": "bundled"}}
NOTES = {
    "auth.md": "# Auth\n\nJWT signatures are checked by the gateway before a request is let through.\n",
    "tea.md": "# Tea\n\nGreen leaves are steeped for two minutes in water of eighty degrees.\n",
    "bread.md": "# Bread\n\nThe dough rests overnight and is baked in a hot oven.\n",
    "moon.md": "# Moon\n\nCraters are seen best along the terminator.\n",
    "garden.md": "# Garden\n\nApple trees are pruned in late winter.\n",
    "backup.md": "# Backup\n\nSnapshots are copied to another disk every night.\n",
    "cats.md": "# Cats\n\nKittens sleep for most of the day.\n",
    "bike.md": "# Bike\n\nThe chain is oiled after every ride in the rain.\n",
}
FOREIGN = {
    "fr.md": "# Chevaux\n\nLes chevaux ne sont pas dans les écuries de la ville, et le facteur est parti avec eux.\n",
    "de.md": "# Burg\n\nDie Burg auf dem Hügel ist nicht mehr bewohnt, und der Weg zu ihr ist steil.\n",
    "es.md": "# Playa\n\nLas olas de la playa son más altas cuando el viento viene del norte.\n",
    "pl.md": "# Rzeka\n\nRzeka jest szeroka i nie można jej przejść, gdy po deszczu woda się podnosi.\n",
    "ru.md": "# Поезд\n\nПоезд приходит вечером, и пассажиры ждут его на платформе.\n",
    "zh.md": "# 船\n\n船在早上离开港口。\n",
}
QUERIES = ("validating tokens", "kubernetes json payload", "astrophotography", "sourdough hydration", "rsync cron job")
KEPT = 0.05


def answers(bench: Bench) -> dict[str, dict[str, float]]:
    """By query, the hits in their order with their scores."""
    with bench.opened(**BUNDLED) as engine:
        return {
            typed: {
                hit.citation.uri: hit.score
                for hit in engine.search(Query(typed, floor=False), PROFILES[DEFAULT_PROFILE]).hits
            }
            for typed in QUERIES
        }


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("foreign")
    for part in ("notes", "home"):
        (folder / part).mkdir()
    bench = Bench(folder / "notes", folder / "library.db", folder / "home")
    bench.write(NOTES)
    bench.index(**BUNDLED)
    return bench


def test_a_document_that_shares_no_word_and_no_topic_changes_no_order_and_hardly_a_score(bench: Bench) -> None:
    before = answers(bench)
    assert next(iter(before["validating tokens"])) == "auth.md"
    foreign = sorted(FOREIGN.items())
    random.Random(7).shuffle(foreign)
    for uri, text in foreign:
        bench.write({uri: text})
        bench.index(**BUNDLED)
        after = answers(bench)
        for typed, scores in before.items():
            kept = {place: score for place, score in after[typed].items() if place in scores}
            assert [*kept][:3] == [*scores][:3], (uri, typed)
            assert all(abs(score - scores[place]) <= KEPT for place, score in [*kept.items()][:3]), (uri, typed)


def test_a_stray_passage_is_no_language_of_a_library(tmp_path: Path) -> None:
    for part in ("notes", "home"):
        (tmp_path / part).mkdir()
    bench = Bench(tmp_path / "notes", tmp_path / "library.db", tmp_path / "home")
    bench.write({f"{number}.md": f"# {number}\n\nThe note of day {number}.\n" for number in range(600)})
    bench.write({"de.md": FOREIGN["de.md"]})
    bench.index()
    with bench.opened() as engine:
        assert engine.reader.languages.held() == ()
    bench.write({"de2.md": FOREIGN["de.md"].replace("Burg", "Brücke")})
    bench.index()
    with bench.opened() as engine:
        assert engine.reader.languages.held() == ("de",)
