"""Small corpora that rankings are pinned on: notes whose names matter, and a code tree with banners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from octavo.engine.engine import Engine
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import FoundHit
from octavo.operations.search.search_handlers import search

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "rankings"
PINNED = ("vault", "notes", "code")

NOTES = {
    "Zanzibar offsite.md": (
        "## Agenda\n\n- arrive on Monday\n- budget on Tuesday\n\n## Travel\n\nBy ferry from Dar es Salaam.\n"
    ),
    "places/Kyoto.md": "## Temples\n\nA hundred of them, most of wood.\n\n## Food\n\nTofu in every form.\n",
    "places/Osaka.md": (
        "# Osaka\n\nFrom Kyoto it is half an hour by train. Kyoto again in the evening: see [[Kyoto]].\n"
    ),
    "journal/Day 1.md": "# Day 1\n\nKyoto at last. Kyoto is quiet before seven. Kyoto by bicycle.\n",
    "journal/Day 2.md": "# Day 2\n\nStill Kyoto. The train to Nara takes an hour from Kyoto station.\n",
    "people/Kim Sato.md": (
        "---\naliases: [KS, the guide]\nrole: guide\nrating: 5\n---\nShows visitors around in spring.\n"
    ),
    "people/Bo Lind.md": "---\nrole: driver\nrating: 3\n---\nDrives the van, and waits for visitors.\n",
    "plans/Spring.md": (
        "---\nstatus: draft\ndue: 2025-03-14\n---\n# Spring trip\n\nVisitors come in April for ten days.\n"
    ),
    "plans/Autumn.md": (
        "---\nstatus: final\ndue: 2024-10-01\n---\n# Autumn trip\n\nVisitors come in October for ten days.\n"
    ),
    "plans/Templates/Trip.md": "---\nstatus: {{status}}\ndue: {{date}}\n---\n# {{title}}\n\nWho, where, when.\n",
    "Visitors index.md": "# Visitors index\n\n- [[Spring]]\n- [[Autumn]]\n- [[Kim Sato]]\n- [[Bo Lind]]\n",
    "Visitors embed.md": "![[Spring#Spring trip]]\n",
    "reference/Fetch.md": (
        "# Fetch\n\nAsks a server for something.\n\n## Examples\n\nA request with a timeout of five seconds.\n\n"
        "## Specifications\n\nThe living standard.\n\n## Browser compatibility\n\nEvery browser since 2017.\n"
    ),
    "reference/Beacon.md": (
        "# Beacon\n\nSends a few bytes when a page is left.\n\n## Syntax\n\nOne call with an address.\n\n"
        "## Return value\n\nWhether it was queued.\n\n## Browser compatibility\n\nNot in old readers.\n"
    ),
    "reference/Pump.md": (
        "# Pump\n\n## Oil\n\nChange the oil every year.\n\n## Filter\n\n"
        "Rinse the filter with clean water each month.\n\n"
        "## Seal\n\nA dripping seal is replaced at once.\n"
    ),
}

_BANNER = "// " + "=" * 70 + "\n"
_LICENCE = (
    "/*\n * Copyright the authors. Licensed under the Apache License, Version 2.0: you may not use this\n"
    " * file except in compliance with the License. Distributed on an as-is basis, without warranties.\n */\n"
)


def _banner(title: str) -> str:
    return f"{_BANNER}// {title}\n{_BANNER}\n"


CODE = {
    "src/retrieval.ts": (
        _LICENCE
        + "import { Store } from './store';\n\n"
        + _banner("Types")
        + "export interface Passage {\n  text: string;\n  score: number;\n}\n\n"
        + _banner("Document retrieval")
        + "/** Finds the passages of a document that answer a question. */\n"
        + "export function retrieveDocument(store: Store, question: string): Passage[] {\n"
        + "  const words = question.split(' ');\n  return store.rank(words).filter((found) => found.score > 0);\n}\n\n"
        + _banner("Helper functions")
        + "/** Lower case, without accents. */\nexport function foldWord(word: string): string {\n"
        + "  return word.normalize('NFD').toLowerCase();\n}\n"
    ),
    "src/store.ts": (
        _LICENCE
        + _banner("Store")
        + "/** Keeps documents in memory and ranks them by their words. */\nexport class Store {\n"
        + "  private documents: string[] = [];\n\n  /** Adds a document. */\n  add(document: string): void {\n"
        + "    this.documents.push(document);\n  }\n\n  rank(words: string[]): { text: string; score: number }[] {\n"
        + "    return this.documents.map((text) => ({ text, score: words.filter((w) => text.includes(w)).length }));\n"
        + "  }\n}\n"
    ),
    "shop/a.py": (
        '"""Orders and what becomes of the money."""\n\nRATE = 0.2\n\n\n'
        'def charge(order):\n    """Takes the money."""\n'
        "    return order.total * (1 + RATE)\n\n\ndef refund(order):\n"
        '    """Gives the money back when an order is cancelled."""\n    order.state = "cancelled"\n'
        "    return -charge(order)\n"
    ),
    "shop/Ledger.java": (
        _LICENCE
        + "package shop;\n\nimport java.util.List;\n\n/** Books of a shop. */\npublic class Ledger {\n"
        + "    /**\n     * Closes the books at the end of a month and carries the balance over.\n     *\n"
        + "     * @param month the month that ends\n     */\n    public long closeMonth(int month) {\n"
        + "        return balance(month);\n    }\n\n"
        + "    /**\n     * The balance of a month: what came in less what went out.\n     */\n"
        + "    public long balance(int month) {\n        return 0L;\n    }\n}\n"
    ),
    "net/socket.c": (
        _LICENCE
        + '#include <stdio.h>\n#include "socket.h"\n\n'
        + "/* Opens a connection and waits at most the given time for it. */\n"
        + "int connect_with_timeout(const char *host, int seconds) {\n    return open_socket(host, seconds);\n}\n\n"
        + "/* Reads what has arrived; a xylograph of bytes, nothing more. */\n"
        + "int read_available(int fd, char *buffer, int size) {\n    return read(fd, buffer, size);\n}\n"
    ),
    "net/socket.h": (
        "#ifndef SOCKET_H\n#define SOCKET_H\n\n"
        "/* Asks politely for a connection, and gives up when nobody answers. */\n"
        "int connect_with_timeout(const char *host, int seconds);\n"
        "int read_available(int fd, char *buffer, int size);\n\n#endif\n"
    ),
    "test.c": (
        '#include "net/socket.h"\n\nvoid test_connect_with_timeout(void) {\n'
        '    assert(connect_with_timeout("localhost", 1) >= 0);\n    assert(connect_with_timeout("", 1) < 0);\n}\n\n'
        "int main(void) {\n    test_connect_with_timeout();\n    return 0;\n}\n"
    ),
    "examples/connect.c": (
        '#include "net/socket.h"\n\nint main(void) {\n    /* connect with a timeout of five seconds */\n'
        '    return connect_with_timeout("example.org", 5);\n}\n'
    ),
    "tests/test_shop.py": (
        "from shop.a import charge, refund\n\n\ndef test_refund_gives_the_money_back_when_an_order_is_cancelled():\n"
        "    order = Order(10)\n    charge(order)\n    assert refund(order) < 0\n"
    ),
    "cmd/completion.go": (
        'package cmd\n\nimport (\n\t"bytes"\n\t"fmt"\n\t"shop/completion"\n)\n\n'
        '// runShop opens the shop for customers.\nfunc runShop() error {\n\treturn fmt.Errorf("closed")\n}\n\n'
        "// FIXME writeScript is unused by the shop, and should be removed in version 2.\n\n"
        "// writeScript writes the completion script of a shell.\n"
        'func writeScript(out *bytes.Buffer) {\n\tfmt.Fprintln(out, "complete -F _shop shop")\n}\n'
    ),
    "shop/licence.py": (
        "# Copyright the authors. Licensed under the Apache License, Version 2.0.\n# See the file LICENCE.\n\n"
        'def licence_of(package):\n    """The licence that a package names."""\n'
        '    return package.metadata["licence"]\n'
    ),
}


def write(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def fill(engine: Engine, place: Path) -> None:
    """The vault, the notes and the code, each a collection."""
    engine.add_collection("vault", ROOT / "examples" / "vault")
    engine.add_collection("notes", write(NOTES, place / "notes"))
    engine.add_collection("code", write(CODE, place / "code"))
    engine.index(wait_full=True)


def rank(engine: Engine, case: dict[str, Any], collection: str) -> int:
    """The place of a pinned case's target among the hits; 0 where it is none of ten."""
    options = {key: tuple(value) if isinstance(value, list) else value for key, value in case["options"].items()}
    answer = search(
        engine, SearchRequest(case["query"], collections=(collection,), limit=10, max_tokens=100_000, **options)
    )
    return next((rank for rank, hit in enumerate(answer.hits, 1) if _is(hit, case["target"])), 0)


def _is(hit: FoundHit, target: str) -> bool:
    uri, _, part = target.partition("#")
    named = (hit.symbol, hit.anchor, " → ".join(hit.heading_path), *hit.heading_path[-1:])
    return hit.uri == uri and (not part or part in named)
