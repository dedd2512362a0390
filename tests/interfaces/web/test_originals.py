"""Pictures in notes and the originals of converted documents: files of a collection, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest
from cli_calls import Location, Octavo
from http_calls import in_process

from octavo.config.schema import Serve

HTML = {"accept": "text/html"}
PNG = b"\x89PNG\r\n\x1a\n" + b"dome"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
NOTE = """# The dome

![[dome.png|200]] and ![a drawing](pictures/plan.svg) and ![[nowhere.png]] and ![out](../outside.png)
"""
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PAGE = "<html><head><title>Report</title></head><body><h1>Report</h1><p>{}</p></body></html>"


def pdf(*pages: str) -> bytes:
    """A file with a line of text on each page."""
    kids = " ".join(f"{number} 0 R" for number in range(4, 4 + 2 * len(pages), 2))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for text in pages:
        drawn = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        content = len(objects) + 2
        resources = "/Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 612 792]"
        objects.append(f"<< /Type /Page /Parent 2 0 R {resources} /Contents {content} 0 R >>")
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    written, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(written)
    written += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    return f"{written}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()


@pytest.fixture
def library(octavo: Octavo, tmp_path: Path, location: Location, monkeypatch: pytest.MonkeyPatch) -> Location:
    notes = tmp_path / "notes"
    files = {
        "note.md": NOTE.encode(),
        "pictures/dome.png": PNG,
        "pictures/plan.svg": SVG,
        ".hidden/secret.png": PNG,
        "ignored/left.png": PNG,
        ".gitignore": b"ignored/\n",
        "minutes.pdf": pdf("The dome opens at dusk tonight.", "The mirror is washed in spring."),
        "report.html": PAGE.format("<script>alert(1)</script>The dome is safe.").encode(),
        "leaked.html": PAGE.format(f"The token is {KEY} today.").encode(),
        "plain.py": b"print(1)\n",
    }
    for name, content in files.items():
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        (notes / name).write_bytes(content)
    (tmp_path / "outside.png").write_bytes(PNG)
    (notes / "key.png").symlink_to(tmp_path / "outside.png")
    monkeypatch.setenv("OCTAVO_LIBRARY", str(location))
    for arguments in (("init",), ("add", str(notes), "--name", "notes"), ("index",)):
        assert octavo(*arguments).exit_code == 0
    return location


def test_pictures_of_a_note_are_shown_and_run_nothing(library: Location) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/document/notes/note.md", headers=HTML)).text
        assert re.findall(r'<img src="([^"]+)"', page) == [
            "/file/notes/pictures/dome.png",
            "/file/notes/pictures/plan.svg",
        ]
        assert "Picture: nowhere.png" in page
        dome = await client.get("/file/notes/pictures/dome.png")
        assert (dome.content, dome.headers["content-type"]) == (PNG, "image/png")
        drawing = await client.get("/file/notes/pictures/plan.svg")
        policy = drawing.headers["content-security-policy"]
        assert drawing.headers["content-type"] == "image/svg+xml"
        assert "default-src 'none'" in policy and policy.endswith("; sandbox") and "script" not in policy
        assert drawing.headers["x-content-type-options"] == "nosniff"

    in_process(library, talk)


def test_no_other_file_is_served(library: Location) -> None:
    outside = ("..%2Foutside.png", "pictures/..%2f..%2foutside.png", "%2Fetc%2Fpasswd", "key.png")
    inside = (".hidden/secret.png", "ignored/left.png", "note.md", "plain.py", "leaked.html", "pictures", "")

    async def talk(client: httpx2.AsyncClient) -> None:
        for path in (*outside, *inside):
            answer = await client.get(f"/file/notes/{path}")
            assert answer.status_code == 404, path
            assert PNG not in answer.content and KEY.encode() not in answer.content

    in_process(library, talk)


def test_a_picture_that_becomes_a_link_or_too_large_is_not_served(library: Location, tmp_path: Path) -> None:
    picture = tmp_path / "notes" / "pictures" / "dome.png"
    picture.unlink()
    picture.symlink_to(tmp_path / "outside.png")
    with (tmp_path / "notes" / "pictures" / "plan.svg").open("r+b") as file:
        file.truncate(20_000_001)

    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.get("/file/notes/pictures/dome.png")).status_code == 404
        assert (await client.get("/file/notes/pictures/plan.svg")).status_code == 404
        (tmp_path / "notes" / "pictures").rename(tmp_path / "moved")
        (tmp_path / "notes" / "pictures").symlink_to(tmp_path / "moved")
        assert (await client.get("/file/notes/pictures/dome.png")).status_code == 404

    in_process(library, talk)


def test_files_need_the_token_that_pages_need(library: Location) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.get("/file/notes/pictures/dome.png")).status_code == 401

    in_process(library, talk, settings=Serve(), token="t" * 32)


def test_a_pdf_is_read_by_pages_and_its_original_is_shown_at_the_cited_one(library: Location) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        hits = (await client.get("/?q=when+is+the+mirror+washed", headers=HTML)).text
        link = re.search(r'class="open" href="([^"]+minutes\.pdf[^"]*)"', hits)
        assert link is not None
        page = (await client.get(link[1].replace("&amp;", "&"), headers=HTML)).text
        assert '<table class="code"' not in page
        assert page.index('id="page-1"') < page.index("opens at dusk") < page.index('id="page-2"')
        tab = re.search(r'href="(\?[^"]*view=original)"', page)
        assert tab is not None
        original = await client.get("/document/notes/minutes.pdf" + tab[1].replace("&amp;", "&"), headers=HTML)
        assert "frame-src 'self'" in original.headers["content-security-policy"]
        assert re.findall(r'<iframe[^>]* src="([^"]+)"', original.text) == ["/file/notes/minutes.pdf#page=2"]
        file = await client.get("/file/notes/minutes.pdf")
        assert file.content.startswith(b"%PDF-")
        assert file.headers["content-type"] == "application/pdf"
        assert "frame-ancestors 'self'" in file.headers["content-security-policy"]

    in_process(library, talk)


def test_a_web_page_is_shown_as_a_document_and_its_original_is_only_saved(library: Location) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/document/notes/report.html", headers=HTML)).text
        assert '<h1 id="h-report">Report</h1>' in page and "<iframe" not in page
        file = await client.get("/file/notes/report.html")
        assert file.headers["content-disposition"].startswith("attachment;")
        assert file.headers["content-type"] == "application/octet-stream"
        assert file.headers["content-security-policy"].endswith("; sandbox")

    in_process(library, talk)


def test_the_original_of_a_document_with_a_redacted_key_is_not_offered(library: Location) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        page = (await client.get("/document/notes/leaked.html", headers=HTML)).text
        assert "███" in page and "/file/" not in page

    in_process(library, talk)
