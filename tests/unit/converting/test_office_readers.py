"""What is read out of Word, slides, sheets, open documents and RTF."""

from __future__ import annotations

import pytest
from conversions import converted, headings, outcome_of
from documents import zipped

from octavo.model.converted_file import Converted, RefusedFile, Unit

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


ROOT_RELATIONS = "_rels/.rels"


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
