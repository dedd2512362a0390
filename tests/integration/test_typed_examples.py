"""What people type, alike from the database, a snapshot and PostgreSQL: which note is first, or that none is."""

from __future__ import annotations

from typing import Any

import pytest
from workbench import ENGINES, bench_on

from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES

BUNDLED = {"embedding": {"provider": "bundled"}}
HASH = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
NOTES = {
    "colours.md": "# Colours\n\nHexadecimal colours, a table of colour codes, ace paints and 639 shades of 99 blues.\n",
    "releases.md": "# Releases\n\nVersion 1 came in spring, version 4 in autumn; 4 fixes, 1 of them urgent.\n",
    "network.md": "# Network\n\nThe address 192 is in the range 168; host 1 and host 10 are printers.\n",
    "merging.md": "# Merging\n\nIgnore the value if it is present already. If present, ignore the default.\n",
    "alignment.md": "# Alignment\n\nThe axis is polar when the alignment of the tripod is done; polar first.\n",
    "a/palette.md": "# Theme\n\nThe button is 639ACE when pressed and 0099ff when it is not.\n",
    "a/time.md": "# Clock\n\nThe epoch of the recording is 1609718400000, in milliseconds.\n",
    "a/release.md": "# Upgrade\n\nThe crash is gone since 1.4.4 of the driver.\n",
    "a/host.md": "# Printer\n\nIt answers at 192.168.1.10 only, and https://printer.example.org/status says how.\n",
    "a/option.md": "# Merge\n\nSet ignoreIfPresent to keep what is there.\n",
    "a/phrase.md": "# Mount\n\nDo the polar alignment before dark.\n",
    "a/cve.md": "# Advisory\n\nCVE-2021-44228 was mended in March.\n",
    "a/mail.md": "# People\n\nWrite to anna@example.org about it, or see src/app/config.toml.\n",
    "a/log.md": f"# Log\n\nThe mirror was cleaned on 2024-01-15, at commit {HASH}.\n",
    "web__api/pathname.md": "# pathname\n\nA session has a token that is renewed.\n",
    "web__api/session.md": "# Session\n\nA session ends after an hour; it begins with a cookie.\n",
    "zh/zip.md": "# 工具\n\n压缩文件可以节省磁盘空间。\n",
    "zh/net.md": "# 网络\n\n服务器每天晚上重新启动。\n",
    "th.md": "# คู่มือ\n\nสำรองข้อมูลทุกคืน\n",
    "emoji.md": "# Party\n\nBring the 🎂 on Friday.\n",
    "ru.md": "# Наблюдения\n\nЗеркало телескопа остывает два часа.\n",
    "ar.md": "# نسخ\n\nيتم نسخ البيانات كل ليلة.\n",
    "hi.md": "# पुस्तकालय\n\nइन किताबों को अलमारी में रखो।\n",
    "de.md": "# Sicherung\n\nDie Datenbank hat eine Datenbankverbindung, und in der Straße liegen Äpfel.\n",
    "keys.md": "# The shed\n\nMartha has a key to the shed; a second key hangs in the kitchen.\n",
    "overload.md": "# Overload\n\nThe service answers 529 while it has too much to do; wait a minute.\n",
    "tools.md": "# Workshop\n\nBefore buying tools, measure what is there and borrow once.\n",
    "auth.py": "class DigestAuth:\n    def flow(self, request):\n        return self.answer(request)\n",
    "use_auth.py": "from auth import DigestAuth\n\n\ndef open_client():\n    return DigestAuth().flow(None)\n",
    "sql.md": "# Stars\n\n```sql\ncreate table star (id text primary key, name text not null);\n```\n",
}
FIRST = {
    "639ACE": "a/palette.md",
    "0099ff": "a/palette.md",
    "1609718400000": "a/time.md",
    "ignoreIfPresent": "a/option.md",
    "1.4.4": "a/release.md",
    "192.168.1.10": "a/host.md",
    "https://printer.example.org/status": "a/host.md",
    "CVE-2021-44228": "a/cve.md",
    "anna@example.org": "a/mail.md",
    "src/app/config.toml": "a/mail.md",
    "2024-01-15": "a/log.md",
    HASH: "a/log.md",
    "polar alignment": "a/phrase.md",
    "压缩": "zh/zip.md",
    "压": "zh/zip.md",
    "ข้อมูล": "th.md",
    "🎂": "emoji.md",
    "телескоп": "ru.md",
    "بيانات": "ar.md",
    "किताब": "hi.md",
    "Datenbank": "de.md",
    "Verbindung": "de.md",
    "Aepfel": "de.md",
    "strasse": "de.md",
    "who has a key": "keys.md",
    "session -begin*": "web__api/pathname.md",
    "what does 529 mean?": "overload.md",
    "what does it mean when I get a 529?": "overload.md",
    "what should I do first when I start buying tools?": "tools.md",
    "digest auth": "auth.py",
    "where is DigestAuth defined": "auth.py",
}
EXACTLY = {
    "session NOT token": ["web__api/session.md"],
    "session AND token": ["web__api/pathname.md"],
    "(session OR cookie) NOT token": ["web__api/session.md"],
    "path:web__api": ["web__api/pathname.md", "web__api/session.md"],
    "title:apfel": [],
    "title:sicherung": ["de.md"],
    "???": [],
    "zzqqxx": [],
    "what is the capital of Mongolia?": [],
}


@pytest.fixture(scope="module", params=ENGINES)
def answers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[tuple[str, float | None]]]:
    """By query, the documents of the default profile's hits."""
    bench, settings = bench_on(request.param, tmp_path_factory.mktemp(request.param), request)
    settings: dict[str, Any] = settings | BUNDLED
    bench.write(NOTES)
    bench.index(**settings)
    with bench.opened(**settings) as engine:
        return {
            typed: [(hit.citation.uri, hit.score) for hit in engine.search(Query(typed), PROFILES["hybrid"]).hits]
            for typed in (*FIRST, *EXACTLY)
        }


def test_the_note_that_is_meant_comes_first(answers: dict[str, list[tuple[str, float | None]]]) -> None:
    assert {typed: answers[typed][0][0] for typed in FIRST if answers[typed]} == FIRST
    assert "web__api/session.md" not in [uri for uri, _ in answers["session -begin*"]]


def test_what_filters_and_operators_say_is_all_there_is(answers: dict[str, list[tuple[str, float | None]]]) -> None:
    assert {typed: sorted(uri for uri, _ in answers[typed]) for typed in EXACTLY} == EXACTLY


def test_one_note_answers_who_has_a_key(answers: dict[str, list[tuple[str, float | None]]]) -> None:
    (_, best), *others = answers["who has a key"]
    assert best is not None
    assert all(score is not None and score < best / 2 for _, score in others)
