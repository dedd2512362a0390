"""Scanning a folder: what is seen, what is refused, what is unknown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_runs import examples

from octavo.errors import SourceError
from octavo.model.folder_scan import Scan, SeenFile, SkippedFile
from octavo.model.indexing_ledger import FileStamp
from octavo.sources.folder_scan import Lister, scan
from octavo.sources.ignore_rules import IgnoreRules
from octavo.sources.text_decoding import Decoded, read

RULES = IgnoreRules(extensions=frozenset({".md", ".txt", ".json"}), max_bytes=1000)


def grow(root: Path, *paths: str) -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"text of {path}\n")


def uris(seen: Scan) -> list[str]:
    return [file.uri for file in seen.files]


def failing(where: Path, error: OSError, after: int = 0) -> Lister:
    """A lister for which one folder raises after giving some entries: permission bits do not stop root."""

    def lister(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        if Path(path) != where:
            return os.scandir(path)

        @contextmanager
        def broken() -> Iterator[Iterator[os.DirEntry[str]]]:
            def entries() -> Iterator[os.DirEntry[str]]:
                with os.scandir(path) as listing:
                    for _, entry in zip(range(after), listing, strict=False):
                        yield entry
                raise error

            yield entries()

        return broken()

    return lister


def test_files_come_sorted_with_what_stat_says_of_them(tmp_path: Path) -> None:
    grow(tmp_path, "b.md", "a/Z.md", "a/a.md", "a.txt", "picture.png")
    seen = scan(tmp_path, RULES)
    assert uris(seen) == ["a.txt", "a/Z.md", "a/a.md", "b.md"]
    status = (tmp_path / "b.md").stat()
    assert seen.files[-1] == SeenFile(
        "b.md", str(tmp_path.resolve() / "b.md"), FileStamp(status.st_size, status.st_mtime_ns, status.st_ino)
    )
    assert seen.files[-1].path.read_text() == "text of b.md\n"
    assert seen.listed == {"", "a"}
    assert (seen.skipped, seen.unreadable) == ((), ())


def test_an_empty_folder_is_an_empty_scan(tmp_path: Path) -> None:
    assert scan(tmp_path, RULES) == Scan((), (), frozenset({""}), ())


def test_a_file_over_the_limit_is_skipped_with_both_figures(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("x" * 1001)
    (tmp_path / "fits.md").write_text("x" * 1000)
    seen = scan(tmp_path, RULES)
    assert uris(seen) == ["fits.md"]
    assert seen.skipped == (SkippedFile("long.md", "too large: 1,001 bytes, the limit is 1,000"),)


def test_a_file_named_like_a_secret_is_skipped_and_says_so(tmp_path: Path) -> None:
    grow(tmp_path, "credentials.json", "secret.md", "app/service-account.json")
    seen = scan(tmp_path, RULES)
    assert uris(seen) == ["secret.md"]
    assert seen.skipped == (
        SkippedFile("app/service-account.json", "it may hold secrets: named like a service account key"),
        SkippedFile("credentials.json", "it may hold secrets: named like a file of credentials"),
    )


def test_hidden_names_are_counted_and_left_out(tmp_path: Path) -> None:
    grow(tmp_path, ".hidden.md", ".obsidian/a.md", ".git/config", "seen.md")
    seen = scan(tmp_path, RULES)
    assert uris(seen) == ["seen.md"]
    assert (seen.hidden, seen.ignored, seen.skipped) == (3, 0, ())


@pytest.mark.parametrize(
    "name", ["with space.md", "emoji \U0001f331.md", "line\nbreak.md", "e\u0301.md", "é.md", "日本.md"]
)
def test_a_name_keeps_every_character(tmp_path: Path, name: str) -> None:
    grow(tmp_path, f"folder {name}/{name}")
    (seen,) = scan(tmp_path, RULES).files
    assert seen.uri == f"folder {name}/{name}"
    decoded = read(seen.path, 1000)
    assert isinstance(decoded, Decoded)
    assert decoded.stamp == seen.stamp


def test_a_name_that_is_not_utf8_is_skipped_with_a_reason(tmp_path: Path) -> None:
    grow(tmp_path, "good.md")
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.md")).write_text("x")
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/dir\xfe")).mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    seen = scan(tmp_path, RULES)
    assert uris(seen) == ["good.md"]
    assert seen.skipped == (
        SkippedFile("bad\\udcff.md", "its name is not valid UTF-8"),
        SkippedFile("dir\\udcfe", "its name is not valid UTF-8"),
    )


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    grow(tmp_path, "outside/passwd.md", "vault/own.md", "vault-two/other.md")
    vault = tmp_path / "vault"
    (vault / "up.md").symlink_to("../outside/passwd.md")
    (vault / "absolute.md").symlink_to(tmp_path / "outside" / "passwd.md")
    (vault / "sibling.md").symlink_to("../vault-two/other.md")
    (vault / "folder").symlink_to("../outside")
    seen = scan(vault, RULES)
    assert uris(seen) == ["own.md"]
    outward = "a link out of the collection's folder"
    assert seen.skipped == (
        SkippedFile("absolute.md", outward),
        SkippedFile("folder", "a link to a folder is not followed"),
        SkippedFile("sibling.md", outward),
        SkippedFile("up.md", outward),
    )


def test_a_link_inside_the_root_is_indexed_once(tmp_path: Path) -> None:
    grow(tmp_path, "real.md", "data/notes.dat")
    (tmp_path / "again.md").symlink_to("real.md")
    (tmp_path / "first.md").symlink_to("data/notes.dat")
    (tmp_path / "second.md").symlink_to("first.md")
    seen = scan(tmp_path, RULES)
    assert uris(seen) == ["first.md", "real.md"]
    assert seen.files[0].path == tmp_path.resolve() / "data" / "notes.dat"
    assert seen.skipped == (
        SkippedFile("again.md", "a link to real.md, indexed as real.md"),
        SkippedFile("second.md", "a link to data/notes.dat, indexed as first.md"),
    )


def test_a_link_does_not_lend_a_secret_an_innocent_name(tmp_path: Path) -> None:
    grow(tmp_path, ".env", ".ssh/config")
    (tmp_path / "notes.md").symlink_to(".env")
    (tmp_path / "hosts.md").symlink_to(".ssh/config")
    seen = scan(tmp_path, RULES)
    assert uris(seen) == []
    assert [entry.reason for entry in seen.skipped] == [
        "it may hold secrets: it lies in a folder of keys",
        "it may hold secrets: named like an environment file",
    ]


def test_cycles_of_links_end(tmp_path: Path) -> None:
    grow(tmp_path, "a/b/note.md")
    (tmp_path / "a" / "b" / "up").symlink_to("../..")
    (tmp_path / "self").symlink_to("self")
    (tmp_path / "self.md").symlink_to("self.md")
    (tmp_path / "nowhere.md").symlink_to("missing.md")
    seen = scan(tmp_path, RULES)
    assert uris(seen) == ["a/b/note.md"]
    assert seen.skipped == (
        SkippedFile("a/b/up", "a link to a folder is not followed"),
        SkippedFile("nowhere.md", "a link that leads nowhere"),
        SkippedFile("self.md", "a link that leads nowhere"),
    )
    assert seen.unreadable == ()


def test_a_root_that_is_itself_a_link_is_scanned(tmp_path: Path) -> None:
    grow(tmp_path, "real/a.md", "real/b.md")
    (tmp_path / "real" / "c.md").symlink_to(tmp_path / "real" / "b.md")
    (tmp_path / "root").symlink_to("real")
    seen = scan(tmp_path / "root", RULES)
    assert uris(seen) == ["a.md", "b.md"]
    assert seen.skipped == (SkippedFile("c.md", "a link to b.md, indexed as b.md"),)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_is_skipped_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / ".gitignore")
    assert scan(tmp_path, RULES).skipped == (
        SkippedFile(".gitignore", "its patterns are not followed: not a regular file"),
        SkippedFile("pipe.md", "not a regular file"),
    )


def test_a_folder_that_cannot_be_listed_is_reported_and_the_rest_is_scanned(tmp_path: Path) -> None:
    grow(tmp_path, "a/one.md", "locked/two.md", "locked/deep/three.md", "z.md")
    seen = scan(tmp_path, RULES, lister=failing(tmp_path / "locked", PermissionError(13, "Permission denied")))
    assert uris(seen) == ["a/one.md", "z.md"]
    assert seen.unreadable == (SkippedFile("locked", "permission denied"),)
    assert seen.listed == {"", "a"}
    assert not seen.gone("locked/two.md")
    assert not seen.gone("locked/deep/three.md")
    assert seen.gone("a/deleted.md")
    assert seen.gone("deleted/deep/down.md")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permission bits do not bind this user")
def test_permission_bits_make_a_folder_unreadable(tmp_path: Path) -> None:
    grow(tmp_path, "locked/two.md", "z.md")
    (tmp_path / "locked").chmod(0)
    try:
        seen = scan(tmp_path, RULES)
    finally:
        (tmp_path / "locked").chmod(0o755)
    assert seen.unreadable == (SkippedFile("locked", "permission denied"),)
    assert uris(seen) == ["z.md"]


def test_a_listing_that_breaks_off_proves_nothing_absent(tmp_path: Path) -> None:
    grow(tmp_path, "disk/one.md", "disk/two.md", "disk/three.md")
    seen = scan(tmp_path, RULES, lister=failing(tmp_path / "disk", OSError(5, "Input/output error"), after=2))
    assert seen.unreadable == (SkippedFile("disk", "input/output error"),)
    assert not any(seen.gone(f"disk/{name}.md") for name in ("one", "two", "three", "four"))


def test_an_ignore_file_that_cannot_be_read_makes_its_folder_unreadable(tmp_path: Path) -> None:
    grow(tmp_path, "a/.gitignore", "a/private.md", "b.md")

    @contextmanager
    def lister(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        with os.scandir(path) as listing:
            entries = list(listing)
        (Path(path) / ".gitignore").unlink(missing_ok=True)
        yield iter(entries)

    seen = scan(tmp_path, RULES, lister=lister)
    assert uris(seen) == ["b.md"]
    assert seen.unreadable == (SkippedFile("a", "it vanished while being scanned"),)


def test_a_file_that_vanishes_while_scanning_is_in_doubt_not_gone(tmp_path: Path) -> None:
    grow(tmp_path, "saved.md", "stays.md")

    @contextmanager
    def lister(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        with os.scandir(path) as listing:
            entries = list(listing)
        (tmp_path / "saved.md").unlink()
        yield iter(entries)

    seen = scan(tmp_path, RULES, lister=lister)
    assert uris(seen) == ["stays.md"]
    assert seen.unreadable == (SkippedFile("saved.md", "it vanished while being scanned"),)
    assert not seen.gone("saved.md")


def test_a_folder_that_vanishes_while_scanning_is_in_doubt(tmp_path: Path) -> None:
    grow(tmp_path, "gone/a.md", "b.md")
    seen = scan(tmp_path, RULES, lister=failing(tmp_path / "gone", FileNotFoundError(2, "No such file")))
    assert seen.unreadable == (SkippedFile("gone", "it vanished while being scanned"),)
    assert not seen.gone("gone/a.md")


def test_a_file_that_vanishes_before_it_is_read_is_named_in_the_error(tmp_path: Path) -> None:
    grow(tmp_path, "a.md")
    (seen,) = scan(tmp_path, RULES).files
    seen.path.unlink()
    with pytest.raises(SourceError, match=r"cannot read .*a\.md: no such file or directory") as caught:
        read(seen.path, 1000)
    assert caught.value.hint


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links cannot be refused on opening here")
def test_a_file_swapped_for_a_link_after_the_scan_is_not_read(tmp_path: Path) -> None:
    grow(tmp_path, "vault/a.md", "private.md")
    (seen,) = scan(tmp_path / "vault", RULES).files
    seen.path.unlink()
    seen.path.symlink_to(tmp_path / "private.md")
    with pytest.raises(SourceError, match=r"a\.md"):
        read(seen.path, 1000)


def test_a_root_that_is_not_there_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not there") as caught:
        scan(tmp_path / "missing", RULES)
    assert "nothing was changed" in (caught.value.hint or "")


def test_a_root_that_is_a_file_is_an_error(tmp_path: Path) -> None:
    grow(tmp_path, "a.md")
    with pytest.raises(SourceError, match="is not a folder"):
        scan(tmp_path / "a.md", RULES)


def test_a_root_below_a_file_is_an_error(tmp_path: Path) -> None:
    grow(tmp_path, "a.md")
    with pytest.raises(SourceError, match="not a directory"):
        scan(tmp_path / "a.md" / "inner", RULES)


def test_a_root_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    grow(tmp_path, "a.md")
    with pytest.raises(SourceError, match="permission denied"):
        scan(tmp_path, RULES, lister=failing(tmp_path, PermissionError(13, "Permission denied")))


def test_an_empty_root_older_than_its_files_looks_unmounted(tmp_path: Path) -> None:
    os.utime(tmp_path, ns=(1_000, 1_000))
    with pytest.raises(SourceError, match="may not be mounted"):
        scan(tmp_path, RULES, {"a.md": FileStamp(5, 2_000, 1)})


def test_a_root_that_lost_all_of_many_files_at_once_looks_unmounted(tmp_path: Path) -> None:
    (tmp_path / ".keep").touch()
    known = {f"{number}.md": FileStamp(5, 2_000, number) for number in range(10)}
    with pytest.raises(SourceError, match="none of the 10 files it had"):
        scan(tmp_path, RULES, known)
    assert scan(tmp_path, RULES, dict(list(known.items())[:3])).gone("1.md")
    grow(tmp_path, "other.md")
    assert scan(tmp_path, RULES, known).gone("1.md")


def test_an_empty_folder_older_than_its_files_is_in_doubt(tmp_path: Path) -> None:
    grow(tmp_path, "a.md")
    (tmp_path / "disk").mkdir()
    os.utime(tmp_path / "disk", ns=(1_000, 1_000))
    seen = scan(tmp_path, RULES, {"disk/deep/b.md": FileStamp(5, 2_000, 1)})
    assert not seen.gone("disk/deep/b.md")
    assert seen.unreadable[0].uri == "disk"


def test_emptying_a_folder_is_evidence(tmp_path: Path) -> None:
    grow(tmp_path, "only/a.md", "b.md")
    before = {file.uri: file.stamp for file in scan(tmp_path, RULES).files}
    (tmp_path / "only" / "a.md").unlink()
    (tmp_path / "b.md").unlink()
    after = scan(tmp_path, RULES, before)
    assert after.files == ()
    assert all(map(after.gone, before))


def test_a_folder_newly_ignored_is_evidence_against_its_files(tmp_path: Path) -> None:
    grow(tmp_path, "drafts/deep/a.md", "b.md")
    (tmp_path / ".octavoignore").write_text("drafts/\n")
    assert scan(tmp_path, RULES).gone("drafts/deep/a.md")


segment = st.text(st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=12).filter(
    lambda name: name[0] != "." and len(name.encode()) < 100
)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.sets(segment, max_size=8))
def test_any_name_a_file_system_takes_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, names: set[str]
) -> None:
    root = tmp_path_factory.mktemp("names")
    for name in names:
        grow(root, f"+{name}/+{name}.md")
    found = uris(scan(root, RULES))
    on_disk = {str(path.relative_to(root)) for path in root.rglob("*.md")}
    assert set(found) == on_disk
    assert found == sorted(found)
