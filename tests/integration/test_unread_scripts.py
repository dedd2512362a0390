"""Passages and queries in scripts that the bundled model cannot read are found by words alone."""

from __future__ import annotations

import pytest
from workbench import Bench

from octavo.model.query import Query
from octavo.operations.library.requests import StatusRequest
from octavo.operations.library.status import status
from octavo.retrieval.profiles_by_name import PROFILES

GEORGIAN = {
    f"{number}.md": f"# {name}\n\n{text}\n"
    for number, (name, text) in enumerate(
        {
            "ასლი": "მონაცემთა ბაზა ყოველ ღამით კოპირდება.",
            "შეკუმშვა": "შეკუმშვა ფაილის ზომას ამცირებს.",
            "ტელესკოპი": "სარკეს გაცივებისთვის ორი საათი სჭირდება.",
            "ბაღი": "ზამთარში ვაშლის ხე ისხვლება.",
        }.items()
    )
}
BUNDLED = {"provider": "bundled"}


@pytest.fixture
def notes(bench: Bench) -> Bench:
    bench.write(GEORGIAN | {"english.md": "# Compression\n\nCompression makes files smaller.\n"})
    bench.index(embedding=BUNDLED)
    return bench


@pytest.mark.parametrize("word", ["შეკუმშვა", "სარკეს", "ვაშლის", "ასლი"])
def test_the_first_hit_of_a_word_in_such_a_script_holds_it(notes: Bench, word: str) -> None:
    with notes.opened(embedding=BUNDLED) as engine:
        result = engine.search(Query(word), PROFILES["hybrid"])
    assert word in result.hits[0].excerpt
    assert all(word in hit.excerpt for hit in result.hits)


def test_an_answer_to_a_query_in_such_a_script_says_so_in_one_line_and_names_the_remedy(notes: Bench) -> None:
    with notes.opened(embedding=BUNDLED) as engine:
        (message,) = engine.search(Query("შეკუმშვა"), PROFILES["hybrid"]).degraded
        assert engine.search(Query("стиснення файлів"), PROFILES["hybrid"]).degraded == ()
        assert engine.search(Query("???"), PROFILES["hybrid"]).degraded == ()
    assert message.startswith("dense: octavo-encoder-2 cannot read the query's script: words alone decide")
    assert "bge-m3" in message and "`octavo config describe embedding.model`" in message


@pytest.mark.parametrize(
    "asked", ["压缩文件", "файл меньшего размера", "ファイルを小さくする", "compresión de los archivos"]
)
def test_a_question_in_a_language_that_the_model_was_taught_finds_the_english_passage(notes: Bench, asked: str) -> None:
    with notes.opened(embedding=BUNDLED) as engine:
        assert engine.search(Query(asked), PROFILES["hybrid"]).hits[0].citation.uri == "english.md"


def test_a_run_of_ideographs_comes_before_many_passages_with_its_parts(bench: Bench) -> None:
    parts = {f"{number}.md": f"# 第{number}章\n\n理者。管理。群管。集群。\n" for number in range(60)}
    whole = "每天晚上复制数据库。镜面需要两个小时冷却。冬天修剪苹果树。由集群管理者决定。压缩算法减少文件的大小。"
    bench.write(parts | {"whole.md": f"# 规则\n\n{whole}\n"})
    bench.index(embedding=BUNDLED)
    with bench.opened(embedding=BUNDLED) as engine:
        hits = engine.search(Query("集群管理者"), PROFILES["hybrid"]).hits
    assert hits[0].citation.uri == "whole.md"


def test_an_english_question_is_not_answered_with_what_the_model_cannot_read(notes: Bench) -> None:
    with notes.opened(embedding=BUNDLED) as engine:
        found = [hit.citation.uri for hit in engine.search(Query("how do I shrink a file?"), PROFILES["hybrid"]).hits]
    assert found == ["english.md"]


def test_status_says_how_much_is_read_by_words_alone_and_what_to_do(notes: Bench) -> None:
    with notes.opened(embedding=BUNDLED) as engine:
        answer = status(engine, StatusRequest())
        assert answer.full_vectors == 1.0
        said = [str(advisory) for advisory in answer.advisories]
    assert any("4 of 5 chunks" in advice and "bge-m3" in advice for advice in said), said


def test_what_is_redacted_is_in_no_script(bench: Bench) -> None:
    bench.write({f"{letter}.md": f"token: ghp_{letter * 36}\n" for letter in "ab"})
    bench.index(embedding=BUNDLED)
    with bench.opened(embedding=BUNDLED) as engine:
        assert not [advisory for advisory in status(engine, StatusRequest()).advisories if "scripts" in str(advisory)]
