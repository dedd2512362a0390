"""MSRL §13.3: synthetic vaults by parameters, the same every time."""

from __future__ import annotations

from pathlib import Path

from make_vault import main, make_vault

from octavo.engine.wiring import open_library
from octavo.operations.library.collections import add
from octavo.operations.library.requests import AddRequest


def test_13_3_a_vault_has_the_files_asked_for_and_is_the_same_again(tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_vault(tmp_path / name, 40, 4, 30, code=True, front_matter=True)
    one, two = (
        {file.relative_to(tmp_path / name): file.read_bytes() for file in (tmp_path / name).rglob("*.md")}
        for name in ("one", "two")
    )
    assert len(one) == 40 and one == two
    assert main([str(tmp_path / "three"), "--files", "10"]) == 0
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        add(engine, AddRequest(str(tmp_path / "one"), name="one"))
        report = engine.index()
        counts = engine.store.counts(engine.project.id)
    assert (report.collections[0].added, counts.documents) == (40, 40)
    assert counts.sections > 120
