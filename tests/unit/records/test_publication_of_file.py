"""Which work a file is, by bibliographies as Zotero, Better BibTeX and JabRef write them and by Zotero's database."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from octavo.model.search_result import Publication
from octavo_records.publication_of_file import bib_entries, reference, work_of

BIBLIOGRAPHY = r"""@comment{jabref-meta: databaseType:bibtex;}
@article{muller_bees_2019,
  title = {How {Bees} Find their Way},
  author = {M{\"u}ller, J{\"o}rg and Anna {\O}rsted and {Institute of Bees}},
  date = {2019-05-01},
  journaltitle = {Journal of Insects},
  volume = {12},
  number = {3},
  pages = {45--67},
  doi = {10.1000/Bees.1},
  file = {Full Text:Zotero/storage/ABCD2345/Full Text.pdf:application/pdf}
}

@book{orchard,
  title = "Orchards \& Gardens",
  author = "Ada Lovelace",
  year = 1843,
  publisher = {Engine Press},
  file = {:papers/Orchards.pdf:PDF}
}
@misc{other, title = {See 10.1000/Bees.1}, file = {files/12/Full Text.pdf}}
"""
BEES = Publication(
    "muller_bees_2019",
    "Müller, Jörg; Ørsted, Anna; Institute of Bees (2019). How Bees Find their Way. "
    "Journal of Insects, 12(3), 45–67. https://doi.org/10.1000/Bees.1",
)
SCHEMA = """
create table items (itemID integer primary key, key text);
create table itemAttachments (itemID integer primary key, parentItemID int, path text);
create table deletedItems (itemID integer primary key);
create table fields (fieldID integer primary key, fieldName text);
create table itemDataValues (valueID integer primary key, value);
create table itemData (itemID int, fieldID int, valueID int);
create table creators (creatorID integer primary key, firstName text, lastName text, fieldMode int);
create table creatorTypes (creatorTypeID integer primary key, creatorType text);
create table itemCreators (itemID int, creatorID int, creatorTypeID int, orderIndex int);
insert into items values (1, 'WORK0001'), (2, 'ABCD2345'), (3, 'GONE0003'), (4, 'LOST0004');
insert into itemAttachments values (2, 1, 'storage:Full Text.pdf'), (4, 3, 'storage:x.pdf');
insert into deletedItems values (3);
insert into fields values (1, 'title'), (2, 'date'), (3, 'publicationTitle'), (4, 'DOI'), (5, 'extra');
insert into itemDataValues values
  (1, 'How Bees Find their Way'), (2, '2019-05-01 May 2019'), (3, 'Journal of Insects'), (4, '10.1000/Bees.1'),
  (5, 'Citation Key: muller_bees_2019');
insert into itemData values (1, 1, 1), (1, 2, 2), (1, 3, 3), (1, 4, 4), (1, 5, 5);
insert into creators values (1, 'Jörg', 'Müller', 0), (2, '', 'Institute of Bees', 1), (3, 'Ed', 'Itor', 0);
insert into creatorTypes values (1, 'author'), (2, 'editor');
insert into itemCreators values (1, 2, 1, 1), (1, 1, 1, 0), (1, 3, 2, 2);
"""


@pytest.fixture
def zotero(tmp_path: Path) -> Path:
    folder = tmp_path / "Zotero"
    (folder / "storage/ABCD2345").mkdir(parents=True)
    connection = apsw.Connection(str(folder / "zotero.sqlite"))
    for _ in connection.execute(SCHEMA):
        pass
    connection.close()
    return folder


@pytest.mark.parametrize(
    ("place", "doi", "key"),
    [
        ("ABCD2345/Full Text.pdf", None, "muller_bees_2019"),
        ("12/Full Text.pdf", None, "other"),
        ("elsewhere/Orchards.pdf", None, "orchard"),
        ("a.pdf", "10.1000/bees.1", "muller_bees_2019"),
        ("orchard.pdf", None, "orchard"),
        ("elsewhere/Full Text.pdf", None, None),  # of two works: nothing is said on doubt
        ("chards.pdf", None, None),
    ],
)
def test_a_file_is_found_by_its_place_its_name_its_doi_or_its_key(
    tmp_path: Path, place: str, doi: str | None, key: str | None
) -> None:
    (tmp_path / "library.bib").write_text(BIBLIOGRAPHY, "utf-8")
    work = work_of(tmp_path / place, tmp_path, doi)
    assert (work and work.key) == key


def test_a_reference_names_people_year_title_and_where_it_appeared(tmp_path: Path) -> None:
    (tmp_path / "library.bib").write_text(BIBLIOGRAPHY, "utf-8")
    assert work_of(tmp_path / "ABCD2345/Full Text.pdf", tmp_path) == BEES
    book = next(entry for entry in bib_entries(BIBLIOGRAPHY) if entry.key == "orchard")
    assert reference(book.fields) == "Lovelace, Ada (1843). Orchards & Gardens. Engine Press."


def test_a_journal_is_named_by_what_its_abbreviation_means(tmp_path: Path) -> None:
    entry = "@article{bees,\n title = {Bees},\n journal = joot,\n}\n"
    (tmp_path / "library.bib").write_text('@string{joot = "Journal of Odd Things"}\n\n' + entry, "utf-8")
    work = work_of(tmp_path / "bees.pdf", tmp_path)
    assert work and work.reference == "Bees. Journal of Odd Things."


def test_a_bibliography_outside_of_the_collection_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "library.bib").write_text(BIBLIOGRAPHY, "utf-8")
    assert work_of(tmp_path / "papers/orchard.pdf", tmp_path / "papers") is None


def test_a_file_of_zoteros_storage_is_the_work_it_is_attached_to_while_zotero_runs(zotero: Path) -> None:
    running = apsw.Connection(str(zotero / "zotero.sqlite"))
    running.execute("pragma locking_mode = exclusive")
    running.execute("begin exclusive")
    work = work_of(zotero / "storage/ABCD2345/Full Text.pdf", zotero / "storage")
    running.close()
    assert work == Publication(
        "muller_bees_2019",
        "Müller, Jörg; Institute of Bees (2019). How Bees Find their Way. Journal of Insects. "
        "https://doi.org/10.1000/Bees.1",
    )
    assert work_of(zotero / "storage/LOST0004/x.pdf", zotero) is None


def test_a_bibliography_beside_the_storage_folder_says_its_own_key_before_the_database(zotero: Path) -> None:
    (zotero / "mine.bib").write_text(BIBLIOGRAPHY.replace("muller_bees_2019", "bees"), "utf-8")
    work = work_of(zotero / "storage/ABCD2345/Full Text.pdf", zotero / "storage")
    assert work is not None and work.key == "bees"


def test_a_database_that_is_none_says_nothing(zotero: Path) -> None:
    (zotero / "zotero.sqlite").write_bytes(b"no database" * 100)
    assert work_of(zotero / "storage/ABCD2345/Full Text.pdf", zotero) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_link_and_a_pipe_are_no_bibliography(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (tmp_path / "library.bib").write_text(BIBLIOGRAPHY, "utf-8")
    (papers / "a.bib").symlink_to(tmp_path / "library.bib")
    os.mkfifo(papers / "b.bib")
    assert work_of(papers / "orchard.pdf", papers) is None


@pytest.mark.parametrize("hostile", ["a={", "a", 'a="b" ', "\n", "{"])
def test_an_entry_without_an_end_is_read_as_far_as_a_reference_goes(tmp_path: Path, hostile: str) -> None:
    (tmp_path / "library.bib").write_text(f"@article{{orchard, file = {{orchard.pdf}}, {hostile * 300_000}", "utf-8")
    work = work_of(tmp_path / "orchard.pdf", tmp_path)
    assert work is not None and work.key == "orchard"


def test_a_database_whose_tables_never_end_says_nothing(zotero: Path) -> None:
    (zotero / "zotero.sqlite").unlink()
    connection = apsw.Connection(str(zotero / "zotero.sqlite"))
    connection.execute(
        "create view items as with recursive n(x) as (select 1 union all select x + 1 from n)"
        " select x as itemID, x as key from n; create table itemAttachments (itemID, parentItemID);"
        "create table deletedItems (itemID); insert into itemAttachments values (1, 2)"
    )
    connection.close()
    assert work_of(zotero / "storage/ABCD2345/paper.pdf", zotero) is None
