"""Profiles as TOML: what can be written, what is refused and how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from octavo.errors import ConfigurationError
from octavo.retrieval.profile_toml_files import read_profile, read_profiles, write_profile
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument
from octavo.retrieval.stages.lexical_and_dense_recall import LexicalRecall
from octavo.retrieval.stages.lexical_channel_joining import JoinedFusion
from octavo.retrieval.stages.registry import SHAPES, stages
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion, SingleChannel
from octavo_stages.recency_and_time_range import RecencyTiers
from octavo_stages.section_stages import CapPerSection

MINE = """
name = "mine"
[[recall]]
stage = "lexical"
depth = 50
[fuse]
stage = "single"
[[refine]]
stage = "cap_per_document"
limit = 2
"""


def test_a_profile_is_read_with_its_fields_and_defaults() -> None:
    expected = RetrievalProfile("mine", (LexicalRecall(depth=50),), SingleChannel(), (CapPerDocument(limit=2),))
    assert read_profile(MINE) == expected


@pytest.mark.parametrize("name", PROFILES)
def test_every_built_in_profile_prints_and_reads_back(name: str) -> None:
    assert read_profile(write_profile(PROFILES[name])) == PROFILES[name]


@pytest.mark.parametrize("shape", SHAPES)
def test_every_stage_prints_and_reads_back_and_answers_to_its_name(shape: str) -> None:
    plain = read_profile(MINE)
    for name, kind in stages(shape).items():
        stage = kind()
        assert stage.name == name or stage.name == "dense"
        profile = replace(plain, **{shape: stage if shape == "fuse" else (stage,)})
        assert read_profile(write_profile(profile)) == profile


@pytest.mark.parametrize(
    "changes",
    [
        {"name": 'quo"te é 😀'},
        {"refine": (CapPerSection(limit=None), RecencyTiers(tiers=((1.0, 2.0),), name="other"))},
        {"fuse": JoinedFusion(weights=(("a", 1.0),), base=JoinedFusion(base=ScoreFusion(dense=0.1)))},
    ],
    ids=str,
)
def test_unusual_values_print_and_read_back(changes: dict[str, Any]) -> None:
    profile = replace(read_profile(MINE), **changes)
    assert read_profile(write_profile(profile)) == profile


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("limit = 2", "limt = 2", "refine 1 (cap_per_document): there is no field limt", "did you mean limit?"),
        ('"cap_per_document"', '"cap_per_documnt"', "profile, refine 1: there is no stage cap_per_documnt",
         "did you mean cap_per_document?"),
        ('"cap_per_document"\nlimit = 2', '"dense"', "refine 1: dense is a stage of recall", "choose a stage of"),
        ("limit = 2", 'limit = "2"', "profile, refine 1 (cap_per_document): limit cannot be '2'", ""),
        ("limit = 2", "limit = 1.5", "profile, refine 1 (cap_per_document): limit cannot be 1.5", ""),
        ("[[refine]]", "[[refined]]", "profile: there is no part refined", "did you mean refine?"),
        ("[[refine]]", "[refine]", "profile: refine is not a list", "write [[refine]]"),
        ('stage = "cap_per_document"', "", "profile, refine 1 does not say which stage it is", "choose a stage of"),
        ('name = "mine"', "", "profile has no name", "name = "),
        ('[fuse]\nstage = "single"', "", "profile has no fuse stage", "score_fusion"),
        ('name = "mine"', "name = ", "profile is not TOML", ""),
        ('stage = "single"', 'stage = "joined_fusion"\nbase = 3', "fuse 1 (joined_fusion): base is a stage", ""),
        ('stage = "single"', 'stage = "joined_fusion"\n[fuse.base]\nstage = "mmr"',
         "profile, fuse 1 (joined_fusion): base: mmr is a stage of refine", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_place_and_the_nearest(old: str, new: str, message: str, hint: str) -> None:
    assert old in MINE
    with pytest.raises(ConfigurationError) as refused:
        read_profile(MINE.replace(old, new))
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")


def test_a_folder_of_profiles_is_read_by_name(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(MINE)
    (tmp_path / "a.toml").write_text(MINE.replace('"mine"', '"yours"'))
    (tmp_path / "notes.md").write_text("not a profile")
    assert list(read_profiles(tmp_path)) == ["yours", "mine"]
    assert read_profiles(tmp_path / "nowhere") == {}
    (tmp_path / "c.toml").write_text(MINE)
    with pytest.raises(ConfigurationError, match=r"c\.toml is a second profile with the name mine"):
        read_profiles(tmp_path)
    (tmp_path / "c.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match=r"c\.toml cannot be read"):
        read_profiles(tmp_path)
