"""Passages and queries in scripts that the bundled model cannot read are found by words alone."""

from __future__ import annotations

import pytest
from workbench import Bench

from octavo.model.query import Query
from octavo.operations.library.requests import StatusRequest
from octavo.operations.library.status import status
from octavo.retrieval.profiles import PROFILES

CHINESE = {
    f"{number}.md": f"# {name}\n\n{text}\n"
    for number, (name, text) in enumerate(
        {
            "备份": "每天晚上复制数据库。",
            "压缩": "压缩算法减少文件的大小。",
            "望远镜": "镜面需要两个小时冷却。",
            "花园": "冬天修剪苹果树。",
        }.items()
    )
}


@pytest.fixture
def notes(bench: Bench) -> Bench:
    bench.write(CHINESE | {"english.md": "# Compression\n\nCompression makes files smaller.\n"})
    bench.index(embedding={"provider": "bundled"})
    return bench


@pytest.mark.parametrize("word", ["压缩", "冷却", "苹果", "备份"])
def test_the_first_hit_of_a_chinese_word_holds_it(notes: Bench, word: str) -> None:
    with notes.opened(embedding={"provider": "bundled"}) as engine:
        result = engine.search(Query(word), PROFILES["hybrid"])
    assert word in result.hits[0].excerpt
    assert all(word in hit.excerpt for hit in result.hits)
    (dense,) = [entry for entry in result.trace if entry.stage == "dense"]
    assert dense.skipped == "the model cannot read the query: words alone decide"


def test_a_run_of_ideographs_comes_before_many_passages_with_its_parts(bench: Bench) -> None:
    parts = {f"{number}.md": f"# 第{number}章\n\n理者。管理。群管。集群。\n" for number in range(60)}
    whole = "每天晚上复制数据库。镜面需要两个小时冷却。冬天修剪苹果树。由集群管理者决定。压缩算法减少文件的大小。"
    bench.write(parts | {"whole.md": f"# 规则\n\n{whole}\n"})
    bench.index()
    with bench.opened() as engine:
        hits = engine.search(Query("集群管理者"), PROFILES["hybrid"]).hits
    assert hits[0].citation.uri == "whole.md"


def test_an_english_question_is_not_answered_with_what_the_model_cannot_read(notes: Bench) -> None:
    with notes.opened(embedding={"provider": "bundled"}) as engine:
        found = [hit.citation.uri for hit in engine.search(Query("how do I shrink a file?"), PROFILES["hybrid"]).hits]
    assert found == ["english.md"]


def test_status_says_how_much_is_read_by_words_alone_and_what_to_do(notes: Bench) -> None:
    with notes.opened(embedding={"provider": "bundled"}) as engine:
        answer = status(engine, StatusRequest())
        assert answer.full_vectors == 1.0
        said = [str(advisory) for advisory in answer.advisories]
    assert any("4 of 5 chunks" in advice and "bge-m3" in advice for advice in said), said


def test_what_is_redacted_is_in_no_script(bench: Bench) -> None:
    bench.write({f"{letter}.md": f"token: ghp_{letter * 36}\n" for letter in "ab"})
    bench.index(embedding={"provider": "bundled"})
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        assert not [advisory for advisory in status(engine, StatusRequest()).advisories if "scripts" in str(advisory)]
