"""Documents in other formats, made byte by byte: a test says what is on a page, and needs no program to print it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Container, Mapping, Sequence

Text = str | tuple[str, int]
"""A line, or a line with its size in points."""


def pdf(
    pages: Sequence[Sequence[Text]],
    *,
    outline: Sequence[tuple[str, int]] = (),
    about: Mapping[str, str] | None = None,
    password: bool = False,
    links: Sequence[str] = (),
    fields: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    turned: Container[int] = (),
    meant: Mapping[str, str] | None = None,
) -> bytes:
    """A PDF with these lines on its pages; `outline` names pages from 1, `turned` those that lie on their side, and
    `meant` says for which text a character of the font stands. Every page has the links, the filled fields of a form
    and the notes."""
    objects: list[bytes] = []

    def add(body: str | bytes) -> int:
        objects.append(body.encode("latin-1") if isinstance(body, str) else body)
        return len(objects)

    meaning = f"/ToUnicode {add(_meanings(meant))} 0 R " if meant else ""
    catalog, tree = add(""), add("")
    font = add(f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {meaning}>>")
    kids = []
    places = "".join(
        f"<< /Type /Annot /Subtype /Link /Rect [72 700 200 720] /A << /S /URI /URI ({link}) >> >>" for link in links
    )
    places += "".join(f"<< /Type /Annot /Subtype /Text /Rect [9 9 20 20] /Contents ({note}) >>" for note in notes)
    widgets = [
        add(f"<< /Type /Annot /Subtype /Widget /FT /Tx /T ({name}) /V ({value}) /Rect [72 60 200 80] >>")
        for name, value in (fields or {}).items()
    ]
    filled = " ".join(f"{number} 0 R" for number in widgets)
    places += filled
    for number, lines in enumerate(pages, 1):
        stream = _page_stream(lines, turned=number in turned)
        size = "[0 0 792 612] /Rotate 90" if number in turned else "[0 0 612 792]"
        content = add(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox {size} /Contents {content} 0 R "
                f"/Annots [{places}] /Resources << /Font << /F1 {font} 0 R >> >> >>"
            )
        )
    objects[tree - 1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(f'{k} 0 R' for k in kids)}] >>".encode()
    outlines = f"/Outlines {_outline(objects, add, kids, outline)} 0 R" if outline else ""
    form = f"/AcroForm << /Fields [{filled}] >>" if widgets else ""
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R {outlines} {form} >>".encode()
    info = ""
    if about:
        fields = " ".join(f"/{name} ({value})" for name, value in about.items())
        info = f"/Info {add(f'<< {fields} >>')} 0 R"
    if password:
        # A standard handler with keys that no password opens.
        locked = add(f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{'41' * 32}> /U <{'42' * 32}> >>")
        info += f" /Encrypt {locked} 0 R /ID [<{'43' * 16}> <{'43' * 16}>]"
    return _file(objects, catalog, info)


def _meanings(meant: Mapping[str, str]) -> bytes:
    pairs = "".join(f"<{ord(shown):02x}> <{text.encode('utf-16-be').hex()}>\n" for shown, text in meant.items())
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Test def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <ff> endcodespacerange {len(meant)} beginbfchar\n{pairs}endbfchar\n"
        "endcmap end end"
    ).encode()
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(table), table)


def _page_stream(lines: Sequence[Text], *, turned: bool) -> bytes:
    """Lines from the top down; on a turned page they run up, and reading goes on to the right."""
    at, drawn = 740.0, []
    for line in lines:
        text, size = line if isinstance(line, tuple) else (line, 11)
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        if text:
            place = f"0 1 -1 0 {792 - at:.1f} 72 Tm" if turned else f"72 {at:.1f} Td"
            drawn.append(f"BT /F1 {size} Tf {place} ({escaped}) Tj ET")
        at -= size * 1.3
    return "\n".join(drawn).encode("latin-1", "replace")


def _outline(objects: list[bytes], add, kids: Sequence[int], outline: Sequence[tuple[str, int]]) -> int:  # type: ignore[no-untyped-def]
    root = add("")
    first = len(objects) + 1
    for at, (title, page) in enumerate(outline):
        following = f"/Next {first + at + 1} 0 R" if at + 1 < len(outline) else ""
        add(f"<< /Title ({title}) /Parent {root} 0 R {following} /Dest [{kids[page - 1]} 0 R /XYZ 0 792 0] >>")
    last = first + len(outline) - 1
    objects[root - 1] = f"<< /Type /Outlines /First {first} 0 R /Last {last} 0 R /Count {len(outline)} >>".encode()
    return root


def _file(objects: Sequence[bytes], catalog: int, info: str) -> bytes:
    written = bytearray(b"%PDF-1.5\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += f"trailer\n<< /Size {len(objects) + 1} /Root {catalog} 0 R {info} >>\n".encode()
    written += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(written)


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """A zip archive, of which Word, Excel, OpenDocument and EPUB files are made."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()
