"""Names of groups: what sets a group apart."""

from __future__ import annotations

from octavo.algorithms.clustering.cluster_names_by_keywords import group_names


def test_words_of_every_group_name_none_and_neither_do_those_of_every_sentence() -> None:
    texts = {0: ["The apple harvest", "The apple cellar"], 1: ["The oven harvest", "The oven door"]}
    assert group_names(texts, words=1) == {0: "apple", 1: "oven"}
    assert group_names({0: ["the of and", "12 34"], 1: []}) == {0: "", 1: ""}


def test_the_same_weight_goes_by_the_alphabet() -> None:
    assert group_names({0: ["pear fig"], 1: ["oven"]}) == {0: "fig, pear", 1: "oven"}


def test_one_form_of_a_word_is_enough_and_the_endings_of_files_name_nothing() -> None:
    texts = {0: ["Plugin plugins folder.py", "Plugin store.py"], 1: ["oven.md"]}
    assert group_names(texts) == {0: "plugin, folder, store", 1: "oven"}
