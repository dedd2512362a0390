"""What is read out of messages, books, pages, subtitles, canvases and archives, and what is refused."""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
import tarfile
import zlib
from importlib import import_module
from urllib.parse import quote

import pytest
from conversions import converted, headings, outcome_of
from documents import zipped

from octavo.converting.archives import read_archive
from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, RefusedFile, Unit
from octavo.model.file_formats import FORMATS, left_out_reason


def test_a_book_has_its_chapters_in_the_order_of_its_spine() -> None:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<dc:title>The hive</dc:title></metadata><manifest>"
        '<item id="one" href="a%20one.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="two" href="two.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="two"/><itemref idref="one"/></spine></package>'
    )
    found = converted(
        "hive.epub",
        zipped(
            {
                "META-INF/container.xml": '<container><rootfile full-path="book/p.opf"/></container>',
                "book/p.opf": package,
                "book/a one.xhtml": "<html><body><h1>Summer</h1><p>Honey.</p></body></html>",
                "book/two.xhtml": "<html><body><h1>Spring</h1><p>Swarms.</p></body></html>",
            }
        ),
    )
    assert (found.title, found.text) == ("The hive", "# Spring\n\nSwarms.\n\n# Summer\n\nHoney.\n")


MESSAGE = b"""From: Ann <ann@example.org>
To: Bob <bob@example.org>
Subject: =?utf-8?q?H=C3=B6ney?=
Date: Wed, 21 Dec 2022 10:28:53 -0600
Message-ID: <1@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/plain; charset=utf-8

The jars are full.
--x
Content-Type: text/csv
Content-Disposition: attachment; filename=jars.csv

jar,grams
one,500
--x--
"""


def test_a_message_is_its_people_its_text_and_what_is_attached() -> None:
    found = converted("a.eml", MESSAGE)
    assert (found.title, headings(found)) == ("Höney", [(1, "Höney")])
    assert "The jars are full." in found.text and found.text.endswith("Attached: jars.csv\n")
    assert [member.name for member in found.members] == ["jars.csv"] and b"one,500" in found.members[0].data
    assert found.metadata["date"] == "2022-12-21T10:28:53-06:00"
    assert found.metadata["thread"] == "<1@example.org>"


def test_a_mailbox_holds_its_messages_by_date_and_subject() -> None:
    box = b"From ann Wed Dec 21\n" + MESSAGE + b"\nFrom bob Thu Dec 22\nSubject: Re: wax\nFrom: bob\n\n>From here on.\n"
    found = converted("in.mbox", box)
    assert [member.name[:-13] for member in found.members] == ["2022-12-21-höney", "re-wax"]
    assert found.members[1].data.endswith(b"\n\nFrom here on.\n")


def test_subtitles_are_marked_with_their_times() -> None:
    found = converted(
        "talk.srt", b"1\n00:00:05,000 --> 00:00:09,000\n<i>Bees</i> dance.\n\n2\n00:01:10,500 --> 00:01:12,000\nGood.\n"
    )
    assert (found.text, found.unit) == ("Bees dance.\n\nGood.\n", Unit.TIME)
    assert [mark.label for mark in found.marks] == ["00:00:05", "00:01:10"], "what is said a minute later has its own"


def test_a_page_is_read_without_what_surrounds_it() -> None:
    page = (
        "<html><head><title>Wax | Hive</title></head><body><div class='sidebar'><a href='/'>All</a></div>"
        "<article><h1>Wax</h1><p>Melts at <code>62</code> degrees<ul><li>slowly<ol><li>once</ol></ul>"
        "<pre class='language-python'>melt()</pre><table><tr><th>a<th>b<tr><td>1<td>2</table></article></body></html>"
    )
    found = converted("wax.html", page.encode())
    assert found.text == (
        "# Wax\n\nMelts at `62` degrees\n\n- slowly\n  1. once\n\n```python\nmelt()\n```\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    )
    assert found.title == "Wax"


def test_a_canvas_is_its_cards_and_arrows() -> None:
    canvas = {
        "nodes": [{"id": "1", "type": "text", "text": "Bees"}, {"id": "2", "type": "file", "file": "wax.md"}],
        "edges": [{"fromNode": "1", "toNode": "2", "label": "make"}],
    }
    found = converted("hive.canvas", json.dumps(canvas).encode())
    assert found.text == "Bees\n\nwax.md\n\n- Bees → wax.md: make\n"


def test_a_card_of_a_canvas_keeps_its_headings_and_items() -> None:
    card = "# Spring\n\n- check brood\n- look\n  at wax\n\nThen feed\nthem."
    nodes = [{"id": "1", "type": "text", "text": card}, {"id": "2", "type": "file", "file": "a.md", "subpath": "#Wax"}]
    canvas = {"nodes": nodes, "edges": [{"fromNode": "1", "toNode": "2"}]}
    found = converted("hive.canvas", json.dumps(canvas).encode())
    assert headings(found) == [(2, "Spring")]
    assert found.text == (
        "## Spring\n\n- check brood\n- look\n\n  at wax\n\nThen feed\nthem.\n\na.md#Wax\n\n- Spring → a.md\n"
    )


def test_a_diagram_says_what_its_arrows_connect() -> None:
    cells = (
        '<mxCell id="2" value="&lt;b&gt;Orders&lt;/b&gt;" vertex="1"/><mxCell id="3" value="Queue" vertex="1"/>'
        '<mxCell id="4" value="publishes" edge="1" source="2" target="3"/>'
        '<UserObject label="Ledger" id="5"><mxCell vertex="1"/></UserObject>'
        '<mxCell id="6" edge="1" source="3" target="5"/><mxCell id="7" value="at night" vertex="1" parent="6"/>'
        '<mxCell id="8" edge="1" source="3"/>'
        '<object label="audits" id="9"><mxCell edge="1" source="5" target="2"/></object>'
    )
    plain = f"<mxGraphModel><root>{cells}</root></mxGraphModel>"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = base64.b64encode(packer.compress(quote(plain).encode()) + packer.flush()).decode()
    drawn = "Orders\n\nQueue\n\nLedger\n\n- Orders → Queue: publishes\n- Queue → Ledger: at night\n"
    drawn += "- Ledger → Orders: audits\n"
    pages = f'<diagram name="Now">{packed}</diagram><diagram name="Then">{plain}</diagram>'
    found = converted("a.drawio", f"<mxfile>{pages}</mxfile>".encode())
    assert found.text == f"# Now\n\n{drawn}\n# Then\n\n{drawn}"


BOMB = b"<!DOCTYPE a [<!ENTITY b 'bbbbbbbb'><!ENTITY c '&b;&b;&b;&b;'>]><a>&c;</a>"


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.docx", b"\xd0\xcf\x11\xe0 and more", "encrypted: it needs a password"),
        ("a.docx", b"not a zip", "damaged: it is no archive that can be opened"),
        ("a.odt", zipped({"content.xml": BOMB}), "damaged: content.xml declares entities of its own"),
        ("a.odt", zipped({"content.xml": b" " * 50_000_000}), "too large: content.xml unpacks to 50,000,000 bytes"),
        ("a.epub", zipped({"a": "b"}), "damaged: it has no container"),
        ("a.ics", b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "it holds no entries"),
        ("a.srt", b"no times here", "damaged: it holds no times"),
        ("a.eml", b"just some words\n", "damaged: it has no headers of a message"),
        ("a.drawio", BOMB, "damaged: it declares entities of its own"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(name: str, data: bytes, reason: str) -> None:
    assert outcome_of(name, data) == RefusedFile(reason)


@pytest.mark.parametrize("extension", sorted(FORMATS))
def test_every_format_has_a_reader(extension: str) -> None:
    known = FORMATS[extension]
    module, _, function = known.reader.partition(":")
    assert callable(getattr(import_module(module), function))


UNPACKING = ConversionSettings(archives=True, archive_files=10, archive_bytes=20_000_000)


ZEROS = b"\0" * 60_000_000


def packed(name: str, data: bytes) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        tar.addfile(entry, io.BytesIO(data))
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.zip", zipped({"zeros": ZEROS}), "zeros unpacks to 60,000,000 bytes, more than 200 times its size"),
        ("a.tar.gz", packed("zeros", ZEROS), "with zeros it unpacks to more than 200 times its size"),
        ("zeros.gz", gzip.compress(ZEROS), "with zeros it unpacks to more than 200 times its size"),
        ("zeros.gz", gzip.compress(ZEROS) + bytes(300_000), "with zeros it unpacks to more than 20,000,000 bytes"),
        ("a.zip", zipped({"noise": random.Random(1).randbytes(20_000_001)}), "with noise it unpacks to more than"),
    ],
)
def test_an_archive_of_which_nothing_can_be_unpacked_says_what_it_is(name: str, data: bytes, reason: str) -> None:
    refused = read_archive(name, data, UNPACKING)
    assert isinstance(refused, RefusedFile)
    assert refused.reason.startswith(f"too large: {reason}") and refused.reason.endswith("; nothing of it was read")


def test_a_bomb_in_an_archive_is_named_and_costs_none_of_the_files_beside_it() -> None:
    made = read_archive("a.zip", zipped({"a.txt": "before", "zeros": ZEROS, "b.txt": "after"}), UNPACKING)
    assert isinstance(made, Converted)
    assert [member.name for member in made.members] == ["a.txt", "b.txt"]
    assert made.warnings == (
        "only a part of it was read: zeros unpacks to 60,000,000 bytes, more than 200 times its size",
    )


def message(*parts: str, kind: str = "mixed") -> str:
    inner = "".join(f"--{kind}\n{part}\n" for part in parts)
    return f"Content-Type: multipart/{kind}; boundary={kind}\n\n{inner}--{kind}--\n"


def test_a_message_is_read_in_all_its_parts_and_in_one_of_several_alternatives() -> None:
    def part(text: str, kind: str = "plain") -> str:
        return f"Content-Type: text/{kind}; charset=utf-8\n\n{text}\n"

    attached = "Content-Type: text/csv\nContent-Disposition: attachment; filename=jars.csv\n\na,b\n"
    either = message(part("Plain words."), message(part("<p>Page words.</p>", "html"), attached), kind="alternative")
    data = f"From: a@b.example\nSubject: Wax\nMIME-Version: 1.0\n{message(either, part('And more.'), kind='related')}"
    found = converted("a.eml", data.encode())
    assert "Plain words.\n\nAnd more." in found.text and "Page words." not in found.text
    assert [member.name for member in found.members] == ["jars.csv"], "even of the alternative that is not read"


def test_a_message_whose_plain_text_says_nothing_is_read_as_its_page() -> None:
    page = f"<footer><p>{'Melt the wax slowly and strain it twice. ' * 10}</p></footer>"
    either = message(
        "Content-Type: text/plain\n\nSee the page.\n",
        f"Content-Type: text/html\n\n{page}\n",
        kind="alternative",
    )
    found = converted("a.eml", f"From: a@b.example\nMIME-Version: 1.0\n{either}".encode())
    assert "strain it twice" in found.text


def test_a_book_names_its_chapters_by_its_contents_and_keeps_its_notes() -> None:
    item = '<item id="{0}" href="{0}.xhtml" media-type="application/xhtml+xml"/>'
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata/><manifest>'
        f'{item.format("one")}<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        '</manifest><spine><itemref idref="nav"/><itemref idref="one"/></spine></package>'
    )
    found = converted(
        "hive.epub",
        zipped(
            {
                "META-INF/container.xml": '<container><rootfile full-path="p.opf"/></container>',
                "p.opf": package,
                "nav.xhtml": "<nav><ol><li><a href='one.xhtml#top'>Swarming</a></li></ol></nav>",
                "one.xhtml": "<body><p>In May.</p><aside epub:type='footnote'><p>Or June.</p></aside></body>",
            }
        ),
    )
    assert found.text == "# Swarming\n\nIn May.\n\nOr June.\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_message_that_was_saved_as_utf_16_is_read(encoding: str) -> None:
    mail = "From: ada@example.org\nSubject: Honey\nContent-Type: text/plain; charset=utf-8\n\nForty jars of café.\n"
    assert converted("a.eml", mail.encode(encoding)).text == (
        "# Honey\n\nFrom: ada@example.org\n\nForty jars of café.\n"
    )


def test_a_formula_of_a_page_says_what_its_author_wrote_for_it() -> None:
    page = '<p>The energy <math alttext="E=mc^2"><mi>E</mi></math> of <math><mi>m</mi></math> mass.</p>'
    assert converted("a.html", page.encode()).text == "The energy E=mc^2 of mass.\n"


def test_a_heading_that_is_a_link_is_called_by_its_words() -> None:
    page = b"<main><h1><a href='https://bees.example/'>Bees</a> and wax</h1><p>They fly.</p></main>"
    assert headings(converted("a.html", page)) == [(1, "Bees and wax")]


def test_a_document_of_another_program_is_not_to_be_read_as_text() -> None:
    assert left_out_reason("a.pages") == "nothing reads .pages files; the program that wrote it can save it as PDF"
    assert "--include '*.log'" in left_out_reason("a.log")
