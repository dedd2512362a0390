"""What each reader keeps of its format: headings, tables, notes, slides, sheets, times."""

from __future__ import annotations

import base64
import gzip
import io
import json
import random
import tarfile
import zlib
from dataclasses import replace
from importlib import import_module
from urllib.parse import quote

import pytest
from documents import pdf, zipped

from octavo.converting.archives import read_archive
from octavo.converting.sandbox.converter_process import ConversionSettings
from octavo.model.converted_file import Converted, RefusedFile, Unit, from_plain, to_plain
from octavo.model.file_formats import FORMATS, format_of, left_out_reason
from octavo.model.normalised_text import normalise

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ROOT_RELATIONS = "_rels/.rels"


def converted(name: str, data: bytes) -> Converted:
    """By the reader of the format, in this process; its offsets are checked."""
    outcome = outcome_of(name, data)
    assert isinstance(outcome, Converted), outcome
    text = outcome.text
    assert normalise(text) == text
    assert all(text[heading.start :].startswith("#" * heading.level + " ") for heading in outcome.headings)
    assert all(text[block.start : block.end].strip() for block in outcome.blocks)
    ends = [0, *(block.end for block in outcome.blocks)]
    assert all(end <= block.start for end, block in zip(ends, outcome.blocks, strict=False))
    assert from_plain(json.loads(json.dumps(to_plain(outcome)))) == replace(outcome, members=())
    return outcome


def outcome_of(name: str, data: bytes) -> Converted | RefusedFile:
    known = format_of(name)
    assert known is not None
    if known.needs:
        pytest.importorskip(known.needs, reason=f"{known.needs} is not installed")
    module, _, function = known.reader.partition(":")
    outcome: Converted | RefusedFile = getattr(import_module(module), function)(name, data, ConversionSettings())
    return outcome


def headings(document: Converted) -> list[tuple[int, str]]:
    return [(heading.level, heading.title) for heading in document.headings]


def relations(**targets: str) -> str:
    """`kind="target"` of each."""
    rows = "".join(
        f'<Relationship Id="r{number}" Type="{RELATED}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), 1)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def word(body: str, **parts: str) -> bytes:
    files = {
        ROOT_RELATIONS: relations(officeDocument="word/document.xml"),
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        "word/_rels/document.xml.rels": relations(**{name: f"{name}.xml" for name in parts}),
    }
    files |= {f"word/{name}.xml": f'<w:{name} xmlns:w="{WORD}">{part}</w:{name}>' for name, part in parts.items()}
    return zipped(files)


def line(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_word_keeps_headings_lists_tables_footnotes_and_comments() -> None:
    styles = '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>'
    body = (
        line("Care", '<w:pStyle w:val="H2"/>')
        + "<w:p><w:r><w:t>Water weekly</w:t></w:r><w:r><w:footnoteReference w:id='1'/></w:r>"
        + "<w:r><w:commentReference w:id='0'/></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
        + line("a first item", '<w:numPr><w:ilvl w:val="1"/></w:numPr>')
        + f"<w:tbl><w:tr><w:tc>{line('Plant')}</w:tc><w:tc>{line('Water')}</w:tc></w:tr>"
        + f"<w:tr><w:tc>{line('Fern')}</w:tc><w:tc>{line('much')}</w:tc></w:tr></w:tbl>"
    )
    found = converted(
        "care.docx",
        word(
            body,
            styles=styles,
            footnotes=f'<w:footnote w:id="1">{line("Less in winter.")}</w:footnote>',
            comments=f'<w:comment w:id="0" w:author="Ann">{line("Sure?")}</w:comment>',
        ),
    )
    assert headings(found) == [(2, "Care")]
    assert found.text == (
        "## Care\n\nWater weekly[^1]\n\n> Comment by Ann: Sure?\n\n- a first item\n\n"
        "| Plant | Water |\n| --- | --- |\n| Fern | much |\n\n[^1]: Less in winter.\n"
    )
    assert found.unit is None, "the pages of a Word file are known only when it is printed"


def test_word_knows_lists_by_their_style_and_tables_by_their_columns() -> None:
    listing = '<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>'
    styles = "".join(
        f'<w:style w:styleId="{id_}"><w:name w:val="{name}"/>{listing}</w:style>'
        for id_, name in (("LB", "List Bullet"), ("LB2", "List Bullet 2"))
    )
    body = (
        line("Tools", '<w:pStyle w:val="LB"/>')
        + line("Saw", '<w:pStyle w:val="LB2"/>')
        + line("no item", '<w:pStyle w:val="LB"/><w:numPr><w:numId w:val="0"/></w:numPr>')
        + f"<w:tbl><w:tr><w:tc>{line('Plant')}</w:tc><w:tc>{line('Pick')}</w:tc><w:tc>{line('Keep')}</w:tc></w:tr>"
        + f"<w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{line('All')}</w:tc><w:tc>{line('weeks')}</w:tc></w:tr>"
        + "</w:tbl>"
    )
    assert converted("tools.docx", word(body, styles=styles)).text == (
        "- Tools\n  - Saw\n\nno item\n\n| Plant | Pick | Keep |\n| --- | --- | --- |\n| All |  | weeks |\n"
    )


def test_word_counts_headings_and_items_as_it_shows_them() -> None:
    def level(depth: int, kind: str, pattern: str) -> str:
        shown = f'<w:numFmt w:val="{kind}"/><w:lvlText w:val="{pattern}"/>'
        return f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/>{shown}</w:lvl>'

    def listed(number: int, depth: int) -> str:
        return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>'

    numbering = (
        f'<w:abstractNum w:abstractNumId="7">{level(0, "decimal", "%1.")}'
        f"{level(1, 'lowerLetter', '%2)')}</w:abstractNum>"
        f'<w:abstractNum w:abstractNumId="8">{level(0, "upperRoman", "%1")}'
        f"{level(1, 'decimal', '%1.%2')}</w:abstractNum>"
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
    )
    styles = "".join(
        f'<w:style w:styleId="H{rank}"><w:name w:val="heading {rank}"/><w:pPr>{listed(2, rank - 1)}</w:pPr></w:style>'
        for rank in (1, 2)
    )
    first, second = '<w:pStyle w:val="H1"/>', '<w:pStyle w:val="H2"/>'
    body = "".join(
        [
            *(line("Hive", first), line("Frames", second), line("Floor", second), line("Wax", first)),
            *(line("Melt", listed(1, 0)), line("slowly", listed(1, 1)), line("twice", listed(1, 1))),
            *(line("Pour", listed(1, 0)), line("once", listed(1, 1)), line("Bees", second)),
        ]
    )
    assert converted("a.docx", word(body, styles=styles, numbering=numbering)).text == (
        "# I Hive\n\n## I.1 Frames\n\n## I.2 Floor\n\n# II Wax\n\n"
        "1. Melt\n   - a) slowly\n   - b) twice\n2. Pour\n   - a) once\n\n## II.1 Bees\n"
    )


def test_word_keeps_where_links_lead() -> None:
    link = '<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>the guide</w:t></w:r></w:hyperlink></w:p>'
    files = {
        ROOT_RELATIONS: relations(officeDocument="word/document.xml"),
        "word/document.xml": f'<w:document xmlns:w="{WORD}" xmlns:r="{RELATED}"><w:body>{link}</w:body></w:document>',
        "word/_rels/document.xml.rels": relations(hyperlink="https://example.org/guide").replace(
            'Target="https', 'TargetMode="External" Target="https'
        ),
    }
    assert converted("a.docx", zipped(files)).text == "See [the guide](https://example.org/guide)\n"


def test_cells_that_take_several_rows_and_columns_leave_the_others_in_their_columns() -> None:
    rows = (
        "<tr><th rowspan=2>Month<th colspan=2>Hives</tr><tr><th>East<th>West</tr><tr><td>May<td>2<td>3</tr>"
        '<tr><td colspan="999999">none<td>x</tr>'
    )
    found = converted("bees.html", f"<h1>Bees</h1><table>{rows}</table>".encode())
    assert [text.rstrip(" |") for text in found.text.splitlines()[2:]] == [
        *("| Month | Hives", "| ---" + " | ---" * 199, "|  | East | West", "| May | 2 | 3", "| none"),
    ]


def test_lines_above_a_header_are_text_and_the_header_is_the_first_row_of_several_cells() -> None:
    found = converted("budget.csv", b"Orchard budget\n\nItem,Q1\nLadder,310\n")
    assert found.text == "Orchard budget\n\n| Item | Q1 |\n| --- | --- |\n| Ladder | 310 |\n"
    assert converted("one.csv", b"Name\nAnn\nBen\n").text == "Name\n\nAnn\n\nBen\n"


def test_slides_are_sections_with_their_notes() -> None:
    drawing = 'xmlns:a="http://a" xmlns:p="http://p" xmlns:r="' + RELATED + '"'

    def shape(kind: str, *lines: str) -> str:
        text = "".join(f"<a:p><a:r><a:t>{words}</a:t></a:r></a:p>" for words in lines)
        return f'<p:sp><p:nvPr><p:ph type="{kind}"/></p:nvPr><p:txBody>{text}</p:txBody></p:sp>'

    found = converted(
        "talk.pptx",
        zipped(
            {
                ROOT_RELATIONS: relations(officeDocument="ppt/presentation.xml"),
                "ppt/presentation.xml": f'<p:presentation {drawing}><p:sldId id="9" r:id="r1"/></p:presentation>',
                "ppt/_rels/presentation.xml.rels": relations(slide="slides/slide1.xml"),
                "ppt/slides/slide1.xml": f"<p:sld {drawing}>{shape('title', 'Bees')}"
                f"{shape('body', 'They dance', 'They sleep')}{shape('ftr', 'Imprint')}"
                '<p:graphicFrame><d:relIds xmlns:d="d" r:dm="r2"/></p:graphicFrame></p:sld>',
                "ppt/slides/_rels/slide1.xml.rels": relations(
                    notesSlide="../notesSlides/n1.xml", diagramData="../diagrams/d1.xml"
                ),
                "ppt/diagrams/d1.xml": f'<d:m xmlns:d="d" {drawing}><d:pt type="pres"/>'
                "<d:pt><a:t>Queen</a:t></d:pt></d:m>",
                "ppt/notesSlides/n1.xml": f"<p:notes {drawing}>{shape('body', 'Mention honey')}</p:notes>",
            }
        ),
    )
    assert found.text == "# Bees\n\n- They dance\n- They sleep\n- Queen\n\nNotes: Mention honey\n"
    assert (found.unit, [mark.label for mark in found.marks]) == (Unit.SLIDE, ["1"])


def test_sheets_are_sections_and_every_table_has_the_header() -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(
        f'<row><c r="A{n}" t="inlineStr"><is><t>visitor {n}</t></is></c><c r="B{n}" s="1"><v>{45000 + n}</v></c></row>'
        for n in range(2, 90)
    )
    found = converted(
        "visits.xlsx",
        zipped(
            {
                ROOT_RELATIONS: relations(officeDocument="xl/workbook.xml"),
                "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{RELATED}"><sheets>'
                '<sheet name="Visits" r:id="r1"/></sheets></workbook>',
                "xl/_rels/workbook.xml.rels": relations(
                    worksheet="worksheets/s1.xml", sharedStrings="strings.xml", styles="styles.xml"
                ),
                "xl/strings.xml": f'<sst xmlns="{main}"><si><t>Name</t></si>'
                "<si><r><t>D</t></r><r><t>ay</t></r></si></sst>",
                "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
                "</styleSheet>",
                "xl/worksheets/s1.xml": f'<worksheet xmlns="{main}"><sheetData><row><c r="A1" t="s"><v>0</v></c>'
                f'<c r="B1" t="s"><v>1</v></c></row>{rows}</sheetData></worksheet>',
            }
        ),
    )
    tables = [found.text[block.start : block.end] for block in found.blocks[1:]]
    assert len(tables) > 1
    assert all(table.startswith("| Name | Day |\n| --- | --- |\n") for table in tables)
    assert "| visitor 2 | 2023-03-17 |" in tables[0]
    assert [mark.label for mark in found.marks] == ["Visits"]


def test_sheets_show_per_cent_and_formulas_that_nothing_computed() -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    cells = '<c r="A1" s="1"><v>0.075</v></c><c r="B1" s="2"><v>0.5</v></c><c r="C1"><f>A1+B1</f></c>'
    found = converted(
        "rates.xlsx",
        zipped(
            {
                ROOT_RELATIONS: relations(officeDocument="xl/workbook.xml"),
                "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{RELATED}"><sheets>'
                '<sheet name="Rates" r:id="r1"/></sheets></workbook>',
                "xl/_rels/workbook.xml.rels": relations(worksheet="worksheets/s1.xml", styles="styles.xml"),
                "xl/styles.xml": f'<styleSheet xmlns="{main}"><numFmts><numFmt numFmtId="170" formatCode="0.0%"/>'
                '</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs></styleSheet>',
                "xl/worksheets/s1.xml": f'<worksheet xmlns="{main}"><sheetData><row>{cells}</row></sheetData>'
                "</worksheet>",
            }
        ),
    )
    assert found.text.splitlines()[2] == "| 7.5% | 50% | =A1+B1 |"


def test_an_open_document_keeps_headings_lists_notes_and_comments() -> None:
    names = 'xmlns:office="o" xmlns:text="t" xmlns:table="tb" xmlns:dc="dc"'
    content = (
        f"<office:document {names}><office:body><office:text><text:h text:outline-level='2'>Care</text:h>"
        "<text:p>Water<text:note><text:note-body><text:p>Rain is best.</text:p></text:note-body></text:note> weekly"
        "<office:annotation><dc:creator>Ann</dc:creator><text:p>Sure?</text:p></office:annotation></text:p>"
        "<text:list><text:list-item><text:p>item</text:p></text:list-item></text:list>"
        "</office:text></office:body></office:document>"
    )
    found = converted("care.odt", zipped({"content.xml": content}))
    assert found.text == "## Care\n\nWater[^1] weekly\n\n> Comment by Ann: Sure?\n\n- item\n\n[^1]: Rain is best.\n"


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


def test_a_pdf_says_what_it_links_to_and_all_it_knows_of_itself() -> None:
    about = {"Author": "Ann", "Creator": "Writer", "Producer": "LibreOffice", "ModDate": "D:20260302101112"}
    found = converted(
        "a.pdf", pdf([["Bees"], ["Wax"]], about=about, links=["https://bees.example/wax", "javascript:alert(1)"])
    )
    assert {name: found.metadata[name] for name in ("author", "program", "producer", "modified", "links")} == {
        "author": "Ann",
        "program": "Writer",
        "producer": "LibreOffice",
        "modified": "2026-03-02",
        "links": ["https://bees.example/wax"],
    }


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


def test_headings_of_a_pdf_come_from_its_outline() -> None:
    found = converted(
        "a.pdf",
        pdf([["Feeding the bees", "Syrup."], ["Winter", "Rest."]], outline=[("Feeding the bees", 1), ("Winter", 2)]),
    )
    assert headings(found) == [(1, "Feeding the bees"), (1, "Winter")]


def test_a_title_that_the_outline_cuts_off_is_read_to_its_end() -> None:
    whole = "Guidelines for keeping bees on roofs and terraces in large towns"
    listed = "Feeding bees in the late autumn before the first cold nights"
    pages = [[whole, "Mind the neighbours."], [f"{listed} 2", "Syrup."]]
    found = converted("a.pdf", pdf(pages, outline=[(whole[:60], 1), (listed, 2)]))
    assert headings(found) == [(1, whole), (1, listed)]


def test_an_outline_that_only_counts_pages_gives_no_headings() -> None:
    found = converted("a.pdf", pdf([["Syrup."], ["Rest."]], outline=[("bees.pdf", 1), ("Page 1", 1), ("Page 2", 2)]))
    assert headings(found) == []


def test_running_heads_and_page_numbers_are_left_out_of_a_pdf() -> None:
    subjects = ("honey", "wax", "brood", "queens", "drones", "frames")
    pages = [
        ["The Beekeeper", "", f"This page is about {subject}.", "", f"Page {n}"]
        for n, subject in enumerate(subjects, 1)
    ]
    found = converted("a.pdf", pdf(pages))
    assert found.text.count("The Beekeeper") == 1
    assert "Page 4" not in found.text
    assert all(f"about {subject}." in found.text for subject in subjects)


def test_a_word_that_a_pdf_breaks_at_the_end_of_a_line_is_whole() -> None:
    found = converted(
        "a.pdf", pdf([["Bees are social in-", "sects, and the well-", "known ones make honey. A well-known fact."]])
    )
    assert "insects" in found.text and "well-known ones" in found.text


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


def test_a_title_that_a_pdf_breaks_over_lines_is_one_heading_and_a_fragment_is_none() -> None:
    body = [f"Line {number} of the text stands here in its usual size and ends the page." for number in range(12)]
    found = converted(
        "a.pdf", pdf([[("Keeping and", 20), ("feeding the bees", 20), *body, ("A quotation that ends with the", 20)]])
    )
    assert headings(found) == [(1, "Keeping and feeding the bees")]


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


RTF = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial;}{\f2\fcharset128 Mincho;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 Heading 2;}{\s15 Title;}}{\info{\title Bees}{\author Ann}}
{\header Running head}\pard\s15 The hive\par\pard\s1 Caring\par
\pard Says \u233?lan, \'e9t\'e9, {\f1 \'cf\'f0\'e8\'e2\'e5\'f2}, {\f2 \'83]\'83\'8b}.{\v hidden}{\deleted gone}\par
\pard\s2 Tools\par{\listtext\tab 1.\tab}\pard\ls1 Smoker\par{\listtext\f1\'B7\tab}\pard\ls1\ilvl1 Veil\par
\pard\outlinelevel2 By outline\par
\pard See {\field{\*\fldinst HYPERLINK "https://bees.example/"}{\fldrslt this}}{\footnote A note.}{\*\atnauthor Bob}{\*\annotation Sure?}\par
\trowd\pard\intbl Jar\cell Grams\cell\row\trowd\pard\intbl One\cell 500\cell\row
\pard After{\shp{\*\shpinst{\sp{\sn x}{\sv 1}}{\shptxt \pard In a box\par}}}\par}"""  # noqa: E501


def test_rtf_keeps_headings_lists_tables_notes_and_every_script() -> None:
    found = converted("hive.rtf", RTF)
    assert headings(found) == [(1, "The hive"), (1, "Caring"), (2, "Tools"), (3, "By outline")]
    assert found.text.partition("# Caring\n\n")[2] == (
        "Says élan, été, Привет, ゾル.\n\n## Tools\n\n1. Smoker\n   - Veil\n\n### By outline\n\n"
        "See [this](https://bees.example/)[^1]\n\n> Comment by Bob: Sure?\n\n"
        "| Jar | Grams |\n| --- | --- |\n| One | 500 |\n\nAfter\n\nIn a box\n\n[^1]: A note.\n"
    )
    assert (found.title, found.metadata) == ("Bees", {"author": "Ann"})


@pytest.mark.parametrize("size", [0, 5, 40, 300, 500, 700])
def test_rtf_that_is_cut_anywhere_ends_there(size: int) -> None:
    assert isinstance(outcome_of("a.rtf", RTF[:size]), Converted | RefusedFile)


def test_items_are_nested_where_the_text_of_the_item_around_them_begins() -> None:
    page = (
        "<body><ol><li><p>one</p><p>more of it</p><ul><li>in one<ol><li>deeper</ol></ul><li>two</ol>"
        "<p>then</p><ol start=10><li>ten<ul><li>in ten</ul></ol><ul><li><ul><li>alone</ul></ul></body>"
    )
    assert converted("a.html", page.encode()).text.split("\n") == [
        *("1. one", "", "   more of it", "", "   - in one", "     1. deeper", "2. two"),
        *("", "then", "", "10. ten", "    - in ten", "    - alone", ""),
    ]


def test_a_pdf_says_what_is_filled_into_its_form_and_noted_on_it() -> None:
    found = converted("form.pdf", pdf([["Order form"]], fields={"Name": "Ann Bee", "Empty": ""}, notes=["Paid"]))
    assert found.text == "Order form\n\nNote: Paid\n\nName: Ann Bee\n"


def test_a_hyphen_that_waits_for_a_second_word_stays_in_a_pdf() -> None:
    text = converted(
        "a.pdf", pdf([["Templates for Word-", "and Excel-based plans, with a know-", "ledge of both."]])
    ).text
    assert "Word- and Excel-based" in text and "knowledge" in text


def test_word_reads_a_text_box_once_wherever_it_stands() -> None:
    box = (
        "<mc:AlternateContent xmlns:mc='m'><mc:Choice><w:drawing><wp:docPr xmlns:wp='p' descr='A drawn hive'/>"
        f"<w:txbxContent>{line('In the box')}</w:txbxContent></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><w:txbxContent>{line('In the box')}</w:txbxContent></w:pict></mc:Fallback>"
        "</mc:AlternateContent>"
    )
    around = f"<w:p><w:r><w:t>Around</w:t>{box}</w:r></w:p>"
    table = f"<w:tbl><w:tr><w:tc>{around}</w:tc><w:tc>{line('Beside')}</w:tc></w:tr></w:tbl>"
    once = "In the box\n\nA drawn hive\n"
    assert converted("a.docx", word(around)).text == f"Around\n\n{once}"
    assert converted("a.docx", word(table)).text == f"| Around | Beside |\n| --- | --- |\n\n{once}"


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


def test_the_title_of_an_open_document_is_a_heading_and_names_of_its_shapes_are_no_text() -> None:
    names = 'xmlns:office="o" xmlns:text="t" xmlns:style="s" xmlns:draw="d" xmlns:svg="v"'
    content = (
        f"<office:document {names}><office:automatic-styles><style:style style:name='P1' "
        "style:parent-style-name='Title'/></office:automatic-styles><office:body><office:text>"
        "<text:p text:style-name='P1'>Bees</text:p>"
        "<text:p>They<draw:frame><svg:title>Rectangle</svg:title></draw:frame> fly.</text:p>"
        "</office:text></office:body></office:document>"
    )
    assert converted("a.odt", zipped({"content.xml": content})).text == "# Bees\n\nThey fly.\n"


def test_an_empty_page_that_is_turned_costs_a_pdf_nothing() -> None:
    found = converted("a.pdf", pdf([["Honey."], [], ["Wax."]], turned={2}))
    assert found.text == "Honey.\n\nWax.\n"
    assert [mark.label for mark in found.marks] == ["1", "2", "3"]


def test_a_page_that_is_turned_keeps_its_text_below_the_headings_of_the_outline() -> None:
    found = converted("a.pdf", pdf([["Yields", "Forty jars.", "Nine frames."]], outline=[("Yields", 1)], turned={1}))
    assert found.text == "# Yields\n\nForty jars.\nNine frames.\n"


def test_a_page_that_is_turned_has_paragraphs_and_headings_by_size_like_any_other() -> None:
    lines = [("Yields of the year", 20), *["Jars are counted in autumn, when all is done."] * 9, "", "", "Later."]
    upright, turned = (converted("a.pdf", pdf([lines], turned=turned)) for turned in ((), {1}))
    assert headings(upright) == [(1, "Yields of the year")]
    assert turned.text == upright.text
    assert headings(turned) == headings(upright)


def test_letters_beyond_the_first_plane_cost_a_page_none_of_its_headings() -> None:
    lines = [("Yields of ~", 20), *["Jars ~ are counted in autumn, when all is done ~."] * 9]
    found = converted("a.pdf", pdf([lines], meant={"~": "𝑥"}))
    assert headings(found) == [(1, "Yields of 𝑥")]
    assert "done 𝑥." in found.text


def test_an_initial_makes_no_heading_of_its_line() -> None:
    text = ["Jars are counted in autumn, when all is done."] * 9
    drawn = pdf([["I", "n spring the bees are hungry again", *text]])
    # The second line is drawn behind the first one, which is a large letter.
    drawn = drawn.replace(b"/F1 11 Tf 72 740.0 Td (I)", b"/F1 30 Tf 72 725.7 Td (I)").replace(
        b"Tf 72 725.7 Td (n spring", b"Tf 81 725.7 Td (n spring"
    )
    found = converted("a.pdf", drawn)
    assert found.text.startswith("In spring the bees are hungry again")
    assert headings(found) == []


def test_sheets_keep_comments_text_boxes_and_every_digit() -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    cells = '<c r="A1"><v>1234567890123456</v></c><c r="B1" s="1"><v>33966.260417</v></c>'
    threaded = "[Threaded comment]\n\nYour version shows less.\n\nComment:\n    And why?"
    found = converted(
        "rates.xlsx",
        zipped(
            {
                ROOT_RELATIONS: relations(officeDocument="xl/workbook.xml"),
                "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{RELATED}"><sheets>'
                '<sheet name="Rates" r:id="r1"/></sheets></workbook>',
                "xl/_rels/workbook.xml.rels": relations(worksheet="worksheets/s1.xml", styles="styles.xml"),
                "xl/styles.xml": f'<styleSheet xmlns="{main}"><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs>'
                "</styleSheet>",
                "xl/worksheets/s1.xml": f'<worksheet xmlns="{main}"><sheetData><row>{cells}</row></sheetData>'
                "</worksheet>",
                "xl/worksheets/_rels/s1.xml.rels": relations(comments="../comments.xml", drawing="../drawing.xml"),
                "xl/comments.xml": f'<comments xmlns="{main}"><authors><author>Ada</author></authors><commentList>'
                '<comment ref="A1" authorId="0"><text><r><t>Is it </t></r><r><t>so?</t></r></text></comment>'
                f'<comment ref="B1" authorId="0"><text><t>{threaded}</t></text></comment></commentList></comments>',
                "xl/drawing.xml": "<d><txBody><p><r><t>In a box</t></r></p></txBody></d>",
            }
        ),
    )
    assert found.text == (
        "# Rates\n\n| 1234567890123456 | 1992-12-28 06:15 |\n| --- | --- |\n\n"
        "> Comment by Ada: Is it so?\n\n> Comment: And why?\n\nIn a box\n"
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_message_that_was_saved_as_utf_16_is_read(encoding: str) -> None:
    mail = "From: ada@example.org\nSubject: Honey\nContent-Type: text/plain; charset=utf-8\n\nForty jars of café.\n"
    assert converted("a.eml", mail.encode(encoding)).text == (
        "# Honey\n\nFrom: ada@example.org\n\nForty jars of café.\n"
    )


def test_word_keeps_the_labels_of_charts_and_the_texts_of_diagrams() -> None:
    drawn = f'<w:drawing><c:chart xmlns:c="c" xmlns:r="{RELATED}" r:id="r1"/></w:drawing>'
    drawn += f'<w:drawing><d:relIds xmlns:d="d" xmlns:r="{RELATED}" r:dm="r2"/></w:drawing>'
    found = converted(
        "a.docx",
        word(
            f"<w:p><w:r><w:t>Before.</w:t></w:r><w:r>{drawn}</w:r></w:p>{line('After.')}",
            chart="<t>Jars a year</t><v>2024</v><v>2025</v>",
            diagramData='<pt><t>Hive</t></pt><pt type="parTrans"/><pt type="node"><t>Bees</t></pt>',
        ),
    )
    assert found.text == "Before.\n\nChart: Jars a year, 2024, 2025\n\n- Hive\n- Bees\n\nAfter.\n"


def test_a_formula_of_a_page_says_what_its_author_wrote_for_it() -> None:
    page = '<p>The energy <math alttext="E=mc^2"><mi>E</mi></math> of <math><mi>m</mi></math> mass.</p>'
    assert converted("a.html", page.encode()).text == "The energy E=mc^2 of mass.\n"


def test_an_empty_row_ends_a_table_where_another_header_follows() -> None:
    rows = (
        "Region,Sales\nNorth,10\n\nSouth,20\n\nStaff,Desk\nAnn,A1\n\nQuarter,2024,2025\nQ1,5,6\n\nSource: the ledger\n"
    )
    assert converted("a.csv", rows.encode()).text == (
        "| Region | Sales |\n| --- | --- |\n| North | 10 |\n| South | 20 |\n\n"
        "| Staff | Desk |\n| --- | --- |\n| Ann | A1 |\n\n"
        "| Quarter | 2024 | 2025 |\n| --- | --- | --- |\n| Q1 | 5 | 6 |\n\n"
        "Source: the ledger\n"
    )


def test_an_empty_row_within_a_table_of_words_ends_nothing() -> None:
    rows = "Name,Desk\nAnn,upstairs\n\nBob,downstairs\nEve,outside\n"
    assert converted("a.csv", rows.encode()).text == (
        "| Name | Desk |\n| --- | --- |\n| Ann | upstairs |\n| Bob | downstairs |\n| Eve | outside |\n"
    )


def test_a_title_below_an_empty_row_begins_another_table() -> None:
    rows = "Name,Desk\nAnn,upstairs\n\nKeys\nDoor,Holder\nfront,Bob\n"
    assert converted("a.csv", rows.encode()).text == (
        "| Name | Desk |\n| --- | --- |\n| Ann | upstairs |\n\n"
        "Keys\n\n"
        "| Door | Holder |\n| --- | --- |\n| front | Bob |\n"
    )


def test_a_heading_that_is_a_link_is_called_by_its_words() -> None:
    page = b"<main><h1><a href='https://bees.example/'>Bees</a> and wax</h1><p>They fly.</p></main>"
    assert headings(converted("a.html", page)) == [(1, "Bees and wax")]


def test_a_document_of_another_program_is_not_to_be_read_as_text() -> None:
    assert left_out_reason("a.pages") == "nothing reads .pages files; the program that wrote it can save it as PDF"
    assert "--include '*.log'" in left_out_reason("a.log")
