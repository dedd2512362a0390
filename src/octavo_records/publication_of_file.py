"""Which work a file is: its citation key and reference, from a `.bib` file or from Zotero's database near the file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import apsw

from octavo.bounded_file_reading import read_small
from octavo.converting.text_builder import one_line
from octavo.lazy_regex import regex
from octavo.model.file_formats import FETCHED_PAGES
from octavo.model.search_result import Publication
from octavo.sql_repositories.named_sql_queries import parse_queries

DATABASE = "zotero.sqlite"
_LARGEST = 64_000_000  # bytes of a `.bib` file that is looked into
_LONGEST = 20_000  # characters of an entry that are read: who wrote a longer one did not mean a reference
_STEPS = 20_000_000  # of SQLite, a fraction of a second: a view in a stranger's database may never end
_SHOWN_AUTHORS = 20
_ENTRY = regex(r"^[ \t]{0,20}@(\w{1,40})\s{0,20}[{(]\s{0,20}([^,\s}]{1,500})\s{0,20},", re.MULTILINE)
_FIELD = regex(
    r"(?<![\w-])(\w[\w-]{0,60})\s{0,20}=\s{0,20}"
    r"(?:\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|\"([^\"]*)\"|(\w+))",
    re.DOTALL,
)
_NO_WORKS = ("comment", "string", "preamble")
# `@string{joot = "Journal of Odd Things"}`, for which works then write `journal = joot`.
_ABBREVIATION = regex(
    r"@string\s{0,20}[{(]\s{0,20}([\w-]{1,60})\s{0,20}=\s{0,20}(?:\{([^{}]{0,500})\}|\"([^\"]{0,500})\")", re.IGNORECASE
)
_ACCENTS = dict(
    zip("`'^\"~=.ucvHkr", "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0306\u0327\u030c\u030b\u0328\u030a", strict=True)
)
_ACCENT = regex(r"\\([`'^\"~=.]|[ucvHkr](?![a-zA-Z]))\s*\{?\\?([a-zA-Z])\}?")
_LETTERS = {
    "ss": "ß",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
}
_LETTER = regex(rf"\\({'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?![a-zA-Z])\s*")
_PEOPLE = ("author", "editor")
_BRACED = regex(r"\s*\{[^{}]*\}\s*")
_YEAR = regex(r"\d{4}")
_KEY_IN_EXTRA = regex(r"^Citation Key:\s*(\S+)", re.MULTILINE | re.IGNORECASE)
# What Zotero calls the fields of BibTeX.
_ZOTERO = {
    "date": "year",
    "publicationTitle": "journal",
    "bookTitle": "booktitle",
    "proceedingsTitle": "booktitle",
    "volume": "volume",
    "issue": "number",
    "pages": "pages",
    "publisher": "publisher",
    "university": "publisher",
    "institution": "publisher",
    "title": "title",
    "DOI": "doi",
    "url": "url",
}


class BibEntry(NamedTuple):
    key: str
    fields: Mapping[str, str]


def bib_entries(text: str, file: str = "") -> Iterator[BibEntry]:
    """`file` is all of it where `text` is a part: abbreviations stand at its beginning."""
    meant = {made[1].lower(): made[2] or made[3] or "" for made in _ABBREVIATION.finditer(file or text)}
    entries = [entry for entry in _ENTRY.finditer(text) if entry[1].lower() not in _NO_WORKS]
    for at, entry in enumerate(entries):
        end = min(entries[at + 1].start() if at + 1 < len(entries) else len(text), entry.end() + _LONGEST)
        values = (
            (field[1], field[2] or field[3] or meant.get((field[4] or "").lower(), field[4]) or "")
            for field in _FIELD.finditer(text, entry.end(), end)
        )
        yield BibEntry(entry[2], {name.lower(): _plain(name.lower(), value) for name, value in values})


def work_of(path: Path, root: Path, doi: str | None = None) -> Publication | None:
    """The work that a file below `root` is, by the nearest `.bib` file that names it, else by Zotero's database."""
    above = [folder for folder in path.parents if folder == root or root in folder.parents]
    zotero = _zotero_folder(path)
    for folder in (*above, *([zotero] if zotero and zotero not in above else [])):
        # What a person keeps, before what `octavo fetch` wrote.
        for bibliography in sorted(folder.glob("*.bib"), key=lambda file: (file.name == FETCHED_PAGES, file)):
            if (work := _in_bibliography(bibliography, path, doi)) is not None:
                return work
    return _in_zotero(zotero / DATABASE, path.parent.name) if zotero else None


def reference(fields: Mapping[str, str]) -> str:
    """In one plain style, for people: authors (year). Title. Where it appeared, its publisher. Its DOI or address.

    >>> reference({"author": "Lovelace, Ada and Charles Babbage", "year": "1843", "title": "Notes", "doi": "10.1/x"})
    'Lovelace, Ada; Babbage, Charles (1843). Notes. https://doi.org/10.1/x'
    >>> reference({"url": "https://example.org/bees", "urldate": "2026-11-18"})
    'https://example.org/bees (visited 2026-11-18)'
    """
    people = [_surname_first(name) for name in (fields.get("author") or fields.get("editor", "")).split(" and ")]
    shown = "; ".join(people[:_SHOWN_AUTHORS]) + (" et al." if len(people) > _SHOWN_AUTHORS else "")
    year = _YEAR.search(fields.get("year") or fields.get("date", ""))
    volume = fields.get("volume", "") + (f"({number})" if (number := fields.get("number")) else "")
    journal = fields.get("journal") or fields.get("journaltitle") or fields.get("booktitle", "")
    appeared = ", ".join(
        filter(None, (journal, volume, fields.get("pages", "").replace("--", "–"), fields.get("publisher")))
    )
    doi, seen = _bare_doi(fields), fields.get("urldate", "")
    address = f"https://doi.org/{doi}" if doi else fields.get("url", "")
    address += f" (visited {seen})" if seen and address and not doi else ""
    head = " ".join(filter(None, (shown, f"({year[0]})" if year else "")))
    sentences = [f"{part.rstrip('.')}." for part in (head, fields.get("title", ""), appeared) if part]
    return " ".join((*sentences, *([address] if address else [])))


def _in_bibliography(bibliography: Path, path: Path, doi: str | None) -> Publication | None:
    """Found by the file's place in `file`, by its name there unless two works have a file of that name, by the DOI, or
    by a key that is the file's name."""
    try:
        text = read_small(bibliography, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return None
    place = rf"(?:^|[/\\:;]){re.escape(path.parent.name)}/{re.escape(path.name)}(?:$|[:;])"
    name = rf"(?:^|[/\\:;]){re.escape(path.name)}(?:$|[:;])"
    ways: list[tuple[str, Callable[[BibEntry], object]]] = [
        (path.name, lambda entry: re.search(place, entry.fields.get("file", ""))),
        (path.name, lambda entry: re.search(name, entry.fields.get("file", ""))),
        (path.stem, lambda entry: entry.key == path.stem),
    ]
    if doi:
        written = re.search(re.escape(doi), text, re.IGNORECASE)
        ways.insert(2, (written[0] if written else doi, lambda entry: _bare_doi(entry.fields).lower() == doi.lower()))
    for needle, is_it in ways:
        works = {entry.key: entry for entry in _entries_with(text, needle) if is_it(entry)}
        if len(works) == 1:
            return next(Publication(key, reference(entry.fields)) for key, entry in works.items())
    return None


def _entries_with(text: str, needle: str) -> Iterator[BibEntry]:
    """Only those are parsed that have it somewhere: a bibliography may be of ten thousand works."""
    at = 0
    while at < len(text) and (found := text.find(needle, at)) >= 0:
        start, end = text.rfind("\n@", 0, found) + 1, text.find("\n@", found)
        at = len(text) if end < 0 else end
        yield from bib_entries(text[start:at], text)


def _zotero_folder(path: Path) -> Path | None:
    """`Zotero` of `Zotero/storage/ABCD2345/paper.pdf`, where its database lies too."""
    if len(path.parents) < 3 or path.parents[1].name != "storage" or not re.fullmatch(r"[A-Z0-9]{8}", path.parent.name):
        return None
    database = path.parents[2] / DATABASE
    return database.parent if database.is_file() and not database.is_symlink() else None


def _in_zotero(database: Path, attachment: str) -> Publication | None:
    """Zotero keeps its database locked while it runs: it is read as a file that nobody changes, which a page that is
    just being written may belie. Then, and of another version of Zotero, nothing is said."""
    queries = _queries()
    try:
        uri = f"{database.absolute().as_uri()}?immutable=1"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        connection.set_progress_handler(lambda: True, _STEPS)
        try:
            row = connection.execute(queries["work"], {"key": attachment}).fetchone()
            if row is None:
                return None
            told = {str(name): str(value) for name, value in connection.execute(queries["fields"], {"item": row[0]})}
            people = list(connection.execute(queries["creators"], {"item": row[0]}))
        finally:
            connection.close()
    except (apsw.Error, ValueError):
        return None
    key = told.get("citationKey") or (_KEY_IN_EXTRA.search(told.get("extra", "")) or ("", attachment))[1]
    fields = {ours: told[theirs] for theirs, ours in _ZOTERO.items() if told.get(theirs)}
    names = [(kind, f"{last}, {first}" if first else f"{{{last}}}") for kind, last, first in people]
    authors = [name for kind, name in names if kind == "author"] or [name for _, name in names]
    return Publication(key, reference({**fields, "author": " and ".join(authors)}))


@cache
def _queries() -> Mapping[str, str]:
    return parse_queries(files("octavo_records").joinpath("zotero.sql").read_text("utf-8"))


def _bare_doi(fields: Mapping[str, str]) -> str:
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)", "", fields.get("doi", ""))


def _surname_first(name: str) -> str:
    """An institution in braces stays as it is."""
    if name.startswith("{") or "," in name or " " not in name:
        return name.strip("{}")
    first, _, last = name.rpartition(" ")
    return f"{last}, {first}"


def _plain(name: str, value: str) -> str:
    """A value of BibTeX without its braces and with the letters that TeX spells out. Braces around a whole name stay:
    they say that it is an institution's."""
    if name in _PEOPLE:
        people = " ".join(value.split()).split(" and ")
        return " and ".join(f"{{{_plain('', who)}}}" if _BRACED.fullmatch(who) else _plain("", who) for who in people)
    value = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match[2] + _ACCENTS[match[1]]), value)
    value = _LETTER.sub(lambda match: _LETTERS[match[1]], value)
    return one_line(re.sub(r"[{}]", "", re.sub(r"\\([&%$#_])", r"\1", value)))
