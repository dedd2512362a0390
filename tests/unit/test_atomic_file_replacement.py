"""A file takes another's place whole or not at all, and with its permissions."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from octavo.atomic_file_replacement import replace_file, replacing

posix = pytest.mark.skipif(os.name != "posix", reason="permissions of this kind are POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a") as new:
        new.write_bytes(b"half")
        raise KeyboardInterrupt
    with pytest.raises(IsADirectoryError if os.name == "posix" else OSError):
        (tmp_path / "folder").mkdir()
        replace_file(tmp_path / "folder", b"no file")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "folder"}
    assert (tmp_path / "a").read_bytes() == b"old"


@posix
@pytest.mark.parametrize("durable", [True, False])
def test_the_permissions_of_what_is_replaced_stay_and_a_new_file_is_its_owners_alone(
    tmp_path: Path, durable: bool
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o440)
    replace_file(tmp_path / "a", b"new", durable=durable)
    replace_file(tmp_path / "b", b"new", durable=durable)
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "c", b"new", private=False, durable=durable)
    finally:
        os.umask(before)
    assert {path.name: (mode(path), path.read_bytes()) for path in tmp_path.iterdir()} == {
        "a": (0o440, b"new"),
        "b": (0o600, b"new"),
        "c": (0o640, b"new"),
    }


@posix
def test_a_link_is_replaced_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "a").symlink_to("theirs")
    replace_file(tmp_path / "a", b"mine")
    assert not (tmp_path / "a").is_symlink() and (tmp_path / "a").read_bytes() == b"mine"
    assert (tmp_path / "theirs").read_bytes() == b"theirs"


def test_a_name_as_long_as_the_disk_allows_can_be_replaced(tmp_path: Path) -> None:
    replace_file(tmp_path / ("x" * 255), b"new")
    assert (tmp_path / ("x" * 255)).read_bytes() == b"new"
