"""A word is found in its other forms, in every language, alike from the database, a snapshot and PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest
from workbench import ENGINES, bench_on

from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES

NOTES = {
    "ru.md": "# Наблюдения\n\nЗеркало телескопа остывает два часа.\n",
    "ar.md": "# نسخ\n\nيتم نسخ البيانات كل ليلة.\n",
    "hi.md": "# पुस्तकालय\n\nइन किताबों को अलमारी में रखो।\n",
    "el.md": "# Οδηγός\n\nΟ κωδικός του χρήστη αλλάζει.\n",
    "de.md": "# Sicherung\n\nDie Datenbanken werden in der Nacht gesichert, und die Äpfel liegen im Keller.\n",
    "de2.md": "# Suche\n\nEine Vektordatenbank ist schneller, wenn der Vektor in der Straße nicht zu lang ist.\n",
    "es.md": "# Copias\n\nLas bibliotecas se copian cada noche con la opción de compresión.\n",
    "fr.md": "# Sauvegarde\n\nLes chevaux ne sont pas dans les écuries de la ville.\n",
    "en.md": "# Compression\n\nCompression makes files smaller.\n",
}
QUERIES = {
    "телескоп": "ru.md",
    "телескопами": "ru.md",
    "بيانات": "ar.md",
    "किताब": "hi.md",
    "χρήστης": "el.md",
    "Datenbank": "de.md",
    "Aepfel": "de.md",
    "apfel": "de.md",
    "Vektordatenbanken": "de2.md",
    "strasse": "de2.md",
    "biblioteca": "es.md",
    "cheval": "fr.md",
    "compress files": "en.md",
}


@pytest.fixture(scope="module")
def answers(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, dict[str, list[Any]]]:
    """By engine and query, the hits of words alone with their scores."""
    found = {}
    for engine_name in ENGINES:
        folder = tmp_path_factory.mktemp(engine_name)
        bench, settings = bench_on(engine_name, folder, request)
        bench.write(NOTES)
        bench.index(**settings)
        with bench.opened(**settings) as engine:
            found[engine_name] = {
                typed: [
                    (hit.citation.uri, hit.score) for hit in engine.search(Query(typed), PROFILES["lexical_only"]).hits
                ]
                for typed in QUERIES
            }
    return found


@pytest.mark.parametrize("engine_name", ENGINES)
def test_a_word_is_found_by_its_forms(answers: dict[str, dict[str, list[Any]]], engine_name: str) -> None:
    assert {typed: hits[0][0] for typed, hits in answers[engine_name].items() if hits} == QUERIES


@pytest.mark.parametrize("engine_name", ENGINES)
def test_a_compound_is_found_by_its_part(answers: dict[str, dict[str, list[Any]]], engine_name: str) -> None:
    assert [uri for uri, _ in answers[engine_name]["Datenbank"]] == ["de.md", "de2.md"]


@pytest.mark.parametrize("engine_name", ENGINES[1:])
def test_every_engine_gives_the_same_answer(answers: dict[str, dict[str, list[Any]]], engine_name: str) -> None:
    assert answers[engine_name] == answers["database"]
