"""Somebody with notes and documents: from a folder to the first answer, and what is said where there is none."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import urllib.request
from pathlib import Path

import zstandard
from documents import pdf, zipped
from people import Person, shared, vault

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DOCUMENT = (
    f'<w:document xmlns:w="{_WORD}"><w:body><w:p><w:r><w:t>The lease of the hall ends in October and is renewed by '
    "letter.</w:t></w:r></w:p></w:body></w:document>"
)
HANDBOOK = pdf(
    [
        [("Keeping Bees", 24), "", "Bees live together in colonies and store honey for the winter months."],
        [("Feeding", 18), "", "Sugar syrup is given in autumn, two parts of sugar to one part of water."],
    ],
    about={"Title": "A handbook of bees"},
)


def test_what_is_installed_is_the_wheel_and_not_the_checkout(alone: Person) -> None:
    command = [alone.programs / "python", "-c", "import octavo; print(octavo.__file__)"]
    said = subprocess.run(command, cwd=alone.home, env=alone.environ, stdout=subprocess.PIPE, text=True, check=True)
    assert Path(said.stdout).is_relative_to(alone.programs.parent)


def test_a_vault_with_pictures_answers_after_one_command(person: Person) -> None:
    notes = vault(person.home / "Notes")
    assert "octavo start" in person.types(at=notes), "a bare `octavo` offers it"

    begun = person.types("start", notes)
    assert begun.code == 0
    assert re.search(r"Notes: \d+ added", begun.stdout) and "1 image" in begun
    assert [line.split("  ")[1] for line in begun.stdout.splitlines() if line.startswith("  octavo")] == [
        'octavo search "a question"',
        'octavo ask "a question"',
        "octavo serve --open",
    ]

    first = person.hits("who has a key")[0]
    assert (first["uri"], first["start_line"] > 0) == ("people/Volunteers and keys.md", True)
    cited = f"Notes/{first['uri']}:{first['start_line']}-{first['end_line']}"
    assert "Four keys, numbered." in person.types("get", cited)
    assert person.hits("the dome at dusk")[0]["uri"] == "The view.md"

    answer = person.types("ask", "how many keys are there?")
    assert answer.code == 0 and "Volunteers and keys.md" in answer

    nothing = person.types("search", "what is the capital of Mongolia")
    assert (nothing.code, nothing.stdout.splitlines()[0]) == (1, "No match.")
    assert "Nothing in the library answers this" in person.types("ask", "what is the capital of Mongolia")

    again = person.types("start", at=notes)
    assert "is in the library already: Notes." in again.stderr and " unchanged" in again and " added" not in again


def test_a_folder_of_pdf_and_office_files_is_read_without_another_package(alone: Person) -> None:
    folder = alone.home / "Documents"
    folder.mkdir()
    (folder / "bees.pdf").write_bytes(HANDBOOK)
    (folder / "lease.docx").write_bytes(zipped({"word/document.xml": DOCUMENT}))
    (folder / "prices.csv").write_text("what,price\nhoney,4.50\nwax candle,7.20\n", "utf-8")

    begun = alone.types("start", folder)
    assert begun.code == 0 and "Documents: 3 added" in begun and "left out" not in begun

    page = alone.hits("how much sugar in the syrup")[0]
    assert (page["uri"], page["page"]) == ("bees.pdf", 2)
    shown = alone.types("search", "how much sugar in the syrup", "-n", "1")
    assert "Documents/bees.pdf#page=2" in shown
    assert "two parts of sugar" in alone.types("get", "bees.pdf", "--page", "2")
    assert alone.hits("when does the lease end")[0]["uri"] == "lease.docx"
    assert alone.hits("what does a wax candle cost")[0]["uri"] == "prices.csv"
    assert "the file" in alone.types("add", folder / "bees.pdf")


def test_a_question_straight_after_a_large_index_is_judged_before_it_has_no_match(alone: Person) -> None:
    archive = zstandard.ZstdDecompressor().stream_reader(shared("obsidian-help-en.tar.zst").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(archive.read())) as files:
        files.extractall(alone.home / "Help", filter="data")
    begun = alone.types("start", "Help")
    assert "fast vectors" in begun

    asked = alone.types("search", "can I get my money back")
    assert asked.code == 0 and "Refund policy.md" in asked.stdout.split("2. ")[0]
    assert "passages not learnt yet" in asked
    assert "refund" in alone.types("ask", "can I get my money back?").stdout.lower()
    assert alone.types("search", "who won the world cup in 1998").code == 1


def test_the_page_shows_a_note_with_its_picture(alone: Person) -> None:
    alone.types("start", vault(alone.home / "Notes", only="people"))
    with alone.serving() as (address, token):
        asked = urllib.request.Request(
            f"{address}/document/Notes/The%20view.md", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            page = answer.read().decode()
    assert "The dome at dusk" in page and "<img" in page and "dome.png" in page
