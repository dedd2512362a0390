"""A score is a relevance from 0 to 1, and a question that nothing answers has no hit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from workbench import Bench

from octavo.model.query import Query
from octavo.operations.answering.ask import ask
from octavo.operations.answering.requests import AskRequest
from octavo.retrieval.built_in_profiles.notes_and_documentation import CALIBRATION
from octavo.retrieval.hit_relevance import answers, by_relevance, evidence, scale_of
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument, MergeSpans

BUNDLED = {"provider": "bundled"}
GARDEN = {
    "apples.md": "# Apples\n\nPrune the apple tree in late winter, before the buds swell.\n",
    "roses.md": "# Roses\n\nCut roses back in spring and feed them in June.\n",
    "compost.md": "# Compost\n\nTurn the heap once a month. Who has a key to the shed: Martha.\n",
}


@pytest.fixture
def garden(bench: Bench) -> Bench:
    bench.write(GARDEN)
    bench.index(embedding=BUNDLED)
    return bench


@pytest.mark.parametrize("asked", ["zzqqxx", "what is the capital of Mongolia?", "qwxzv vbnmq"])
def test_nothing_is_found_where_nothing_answers(garden: Bench, asked: str) -> None:
    with garden.opened(embedding=BUNDLED) as engine:
        assert engine.search(Query(asked), PROFILES["hybrid"]).hits == ()


def test_what_fulfils_a_condition_is_found(garden: Bench) -> None:
    with garden.opened(embedding=BUNDLED) as engine:
        for asked in ("roses OR mongolia", "mongolia OR (roses AND spring)", "roses NOT mongolia"):
            hits = engine.search(Query(asked), PROFILES["hybrid"]).hits
            assert [hit.title for hit in hits] == ["Roses"], asked
        assert engine.search(Query("roses AND mongolia"), PROFILES["hybrid"]).hits == ()


def test_without_the_floor_everything_is_shown(garden: Bench) -> None:
    with garden.opened(embedding=BUNDLED) as engine:
        result = engine.search(Query("what is the capital of Mongolia?", floor=False), PROFILES["hybrid"])
    assert len(result.hits) == 3


@pytest.mark.parametrize(
    ("asked", "uri"),
    [("when do I prune an apple tree?", "apples.md"), ("who has a key", "compost.md"), ("roses", "roses.md")],
)
def test_what_is_answered_is_found_with_a_relevance_that_falls(garden: Bench, asked: str, uri: str) -> None:
    with garden.opened(embedding=BUNDLED) as engine:
        hits = engine.search(Query(asked), PROFILES["hybrid"]).hits
    assert hits[0].citation.uri == uri
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)


def test_one_word_of_a_sentence_is_not_what_was_typed(bench: Bench) -> None:
    bench.write(
        {
            "shed.md": "# The shed\n\nMartha has a key to the shed; a second key hangs in the kitchen.\n",
            "stars.md": "# Stars\n\n```sql\ncreate table star (id text primary key, name text not null);\n```\n",
        }
    )
    bench.index(embedding=BUNDLED)
    with bench.opened(embedding=BUNDLED) as engine:
        hits = engine.search(Query("who has a key"), PROFILES["hybrid"]).hits
        alone = engine.search(Query("key"), PROFILES["hybrid"]).hits
    assert hits[0].citation.uri == "shed.md"
    assert all(hit.score < 0.5 for hit in hits[1:])
    assert [hit.citation.uri for hit in alone] == ["shed.md", "stars.md"]
    assert alone[0].score > alone[1].score


def test_a_list_ends_where_relevance_falls_off(garden: Bench) -> None:
    asked = "when do I prune an apple tree?"
    with garden.opened(embedding=BUNDLED) as engine:
        every = engine.search(Query(asked, floor=False), PROFILES["hybrid"]).hits
        shown = engine.search(Query(asked), PROFILES["hybrid"]).hits
    assert [hit.chunk_id for hit in shown] == [
        hit.chunk_id for hit in every if CALIBRATION.is_shown(hit.score, every[0].score)
    ]
    assert len(shown) < len(every)


def test_an_alias_speaks_for_one_passage_of_its_note(bench: Bench) -> None:
    filler = " ".join(f"On night {night} the rota has two people, and the gate stays shut." for night in range(40))
    sections = "".join(f"\n## Rota {month}\n\n{filler}\n" for month in ("May", "June", "July"))
    holders = "Martha, Ida and Jon each have one of the keys to the dome."
    bench.write({"keys.md": f"---\naliases: [who has a key]\n---\n# Keys\n\n{holders} {filler}\n{sections}"})
    bench.index(embedding=BUNDLED)
    # Every passage by itself: which of the others would be kept or merged hangs on cosines that are nearly equal.
    hybrid = PROFILES["hybrid"]
    apart = tuple(stage for stage in hybrid.refine if not isinstance(stage, CapPerDocument | MergeSpans))
    with bench.opened(embedding=BUNDLED) as engine:
        hits = engine.search(Query("who has a key", floor=False), replace(hybrid, refine=apart)).hits
    assert len(hits) > 5
    assert hits[0].score > 0.89
    assert all(hit.score < 0.5 for hit in hits[1:])


def test_a_question_in_another_language_is_judged_by_its_words(bench: Bench) -> None:
    bench.write(
        {
            "kopie.md": "# Kopie\n\nKopia zapasowa bazy danych jest robiona w nocy, gdy nikt nie pracuje.\n",
            "klucze.md": "# Klucze\n\nKlucz do szopy ma Marta, a drugi wisi w kuchni przy drzwiach.\n",
            "jablka.md": "# Jabłka\n\nJabłonie przycina się pod koniec zimy, zanim pojawią się pąki.\n",
        }
    )
    bench.index(embedding=BUNDLED)
    with bench.opened(embedding=BUNDLED) as engine:
        found = {
            asked: [(hit.citation.uri, hit.score) for hit in engine.search(Query(asked), PROFILES["hybrid"]).hits]
            for asked in (
                "gdzie wisi drugi klucz?",
                "o której godzinie robi się kopie zapasowe",
                "jaka jest stolica Mongolii?",
                "zzqqxx",
            )
        }
    ((uri, score),) = found["gdzie wisi drugi klucz?"]
    assert uri == "klucze.md" and score > 0.5
    assert found["o której godzinie robi się kopie zapasowe"][0][0] == "kopie.md"  # by two of its words
    assert all(score < 0.2 for _, score in found["jaka jest stolica Mongolii?"])
    assert found["zzqqxx"] == []


def test_a_short_question_is_answered_by_the_one_word_that_it_is_about(bench: Bench) -> None:
    words = ("oignon", "farine", "beurre", "sel", "poivre", "lait", "citron", "sucre", "miel", "riz", "thym", "ail")
    bench.write(
        GARDEN
        | {f"{word}.md": f"On trouve le {word} dans la cuisine, sur une étagère près de la porte.\n" for word in words}
        | {"tarte.md": "Il faut quatre pommes, que vous coupez avec un couteau, et une heure pour la pâte.\n"}
    )
    bench.index(embedding=BUNDLED)
    with bench.opened(embedding=BUNDLED) as engine:
        (hit, *_) = engine.search(Query("combien de pommes"), PROFILES["hybrid"]).hits
        assert hit.citation.uri == "tarte.md" and hit.score > 0.5
        assert ask(engine, AskRequest("combien de pommes ?")).sentences[0].text.startswith("Il faut quatre pommes")


def test_a_word_anywhere_may_be_an_answer_in_another_language(bench: Bench) -> None:
    subjects = ("chleb", "okno", "rower", "zegar", "kot", "obraz", "stół", "lampa")
    notes = {
        f"{number}.md": f"To jest {subject}, który nie ma nic do tego.\n" for number, subject in enumerate(subjects)
    }
    bench.write(notes | {"klucz.md": "Klucz do szopy ma Marta, a drugi wisi w kuchni przy drzwiach.\n"})
    bench.index(embedding=BUNDLED)
    calibration = PROFILES["hybrid"].calibration
    assert calibration is not None
    with bench.opened(embedding=BUNDLED) as engine:
        library, parsed = engine.reader.searched(), engine.reader.parsed(Query("gdzie wisi klucz?"))
        with engine.store.reading():
            found, _ = run(PROFILES["hybrid"], parsed, library)
            last = sorted(found, key=lambda candidate: candidate.uri == "klucz.md")
            worst_first = tuple(one.scored(place.score) for one, place in zip(last, found, strict=True))
            assert worst_first[-1].uri == "klucz.md" and len(worst_first) > 5
            scale = scale_of(Search(parsed, library), worst_first, calibration)
            assert answers(by_relevance(worst_first, scale), scale)


def test_another_encoder_has_scores_by_words_and_no_floor(bench: Bench) -> None:
    bench.write(GARDEN)
    bench.index()
    with bench.opened() as engine:
        roses = engine.search(Query("feed roses in June"), PROFILES["hybrid"])
        nothing = engine.search(Query("capital of Mongolia"), PROFILES["hybrid"])
    assert roses.calibrated and nothing.calibrated
    assert roses.hits[0].score > 0.5 > 0.1 > max(hit.score for hit in nothing.hits)
    assert len(nothing.hits) == 3


JAPANESE = {
    "house.md": "# 家の名前\n\n古い家の表札の名前は読めません。\n",
    "repair.md": "# 自転車の修理\n\n部品は何ですかと店に聞いた。家の前は何もない。\n",
    "pets.md": "# ペット\n\nうちの犬の名前はポチです。散歩は毎朝六時です。\n",
}
GERMAN = {
    "shop.md": "# Einkauf\n\nDer Laden ist am Morgen offen, und wir gehen zu Fuß. Wie immer kauft der Vater ein.\n",
    "travel.md": "# Reise\n\nDas Hotel in Wien ist gebucht. Der Zug fährt um neun Uhr ab.\n",
}


@pytest.mark.parametrize(
    ("notes", "asked", "share"),
    [
        (JAPANESE, "猫の名前は何ですか", 1 / 2),
        (JAPANESE, "犬の名前は何ですか", 1.0),
        (JAPANESE, "社長の電話番号は何ですか", 0.0),
        (GERMAN, "Wie ist der Chef der Firma?", 0.0),
        (GERMAN, "Wie ist das Hotel in Wien?", 1.0),
    ],
)
def test_particles_and_function_words_of_a_question_are_no_share_of_it(
    bench: Bench, notes: dict[str, str], asked: str, share: float
) -> None:
    bench.write(notes)
    bench.index(embedding=BUNDLED)
    with bench.opened(embedding=BUNDLED) as engine, engine.store.reading():
        library, parsed = engine.reader.searched(), engine.reader.parsed(Query(asked))
        found, _ = run(PROFILES["hybrid"], parsed, library)
        assert evidence(Search(parsed, library), found).words == share
