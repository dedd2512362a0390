"""Whether what was said is found again: LoCoMo as chats that are exported, added and indexed as anybody's are.

    ./dev bench conversations ../shared/data/locomo [--format whatsapp]

Every conversation is a folder of chats, a file for each of its sessions, in the form of a program. Each question is a
search in its conversation's folder; a hit counts for the turn that it shows. Recall@10 of turns. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from statistics import mean
from typing import Any

from locomo_memory import judged, lines

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.query import Filters, Query
from octavo.observability.progress import NoProgress
from octavo.operations.library.collections import add
from octavo.operations.library.indexing import index
from octavo.operations.library.requests import AddRequest, IndexRequest
from octavo.retrieval.profiles_by_name import PROFILES

TOP = 10
MINUTE = 60.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="LoCoMo as a BEIR folder")
    parser.add_argument("--format", choices=["octavo", "whatsapp"], default="octavo")
    parser.add_argument("--profile", default="hybrid")
    parser.add_argument("--floor", action="store_true", help="leave out what is hardly relevant, as searches do")
    parser.add_argument("--every", type=int, default=1, help="ask only every so many questions")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        chats = Path(scratch) / "chats"
        names = write(chosen.folder, chats, chosen.format)
        with open_library(Path(scratch) / "library.db", create=True) as engine:
            add(engine, AddRequest(str(chats), kind="conversations"))
            index(engine, IndexRequest(wait_full=True), NoProgress())
            print(json.dumps(report(engine, chosen, names), indent=2))


def write(folder: Path, chats: Path, form: str) -> dict[tuple[str, int], str]:
    """Returns which turn stands where: by the file and its number in there."""
    names = {}
    for session, turns in groupby(lines(folder / "corpus.jsonl.gz"), key=lambda turn: turn["_id"].partition(":")[0]):
        said = list(turns)
        place = f"{session}.{'txt' if form == 'whatsapp' else 'json'}"
        path = chats / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(whatsapp(said) if form == "whatsapp" else own(session, said), "utf-8")
        names |= {(place, number): turn["_id"] for number, turn in enumerate(said)}
    return names


def moments(turns: list[dict[str, Any]]) -> list[datetime]:
    when = turns[0]["metadata"].get("date_time", "1:00 pm on 1 May, 2023")
    began = datetime.strptime(when, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return [datetime.fromtimestamp(began.timestamp() + MINUTE * number, UTC) for number in range(len(turns))]


def spoken(turn: dict[str, Any]) -> str:
    return str(turn["text"]).removeprefix(f"{speaker(turn)}: ")


def speaker(turn: dict[str, Any]) -> str:
    return str(turn["metadata"].get("speaker", "Ann"))


def own(session: str, turns: list[dict[str, Any]]) -> str:
    said = [
        {"speaker": speaker(turn), "time": when.isoformat(), "text": spoken(turn)}
        for turn, when in zip(turns, moments(turns), strict=True)
    ]
    return json.dumps({"octavo": "conversation", "title": turns[0]["title"], "key": session, "turns": said})


def whatsapp(turns: list[dict[str, Any]]) -> str:
    return "".join(
        f"[{when:%d.%m.%y, %H:%M:%S}] {speaker(turn)}: {spoken(turn)}\n"
        for turn, when in zip(turns, moments(turns), strict=True)
    )


def report(engine: Engine, chosen: argparse.Namespace, names: dict[tuple[str, int], str]) -> dict[str, Any]:
    wanted = judged(chosen.folder / "qrels.tsv.gz")
    recalls = []
    for question in lines(chosen.folder / "queries.jsonl.gz")[:: chosen.every]:
        if question["_id"] not in wanted:
            continue
        inside = Filters(path_prefix=f"{question['metadata']['conversation']}/")
        asked = Query(question["text"], limit=TOP, filters=inside, floor=chosen.floor)
        result = engine.search(asked, PROFILES[chosen.profile])
        turns = {names.get((hit.citation.uri, number)) for hit in result.hits for number in turns_of(engine, hit)}
        recalls.append(len(wanted[question["_id"]] & turns) / len(wanted[question["_id"]]))
    return {"format": chosen.format, "questions": len(recalls), "turns_recall@10": round(mean(recalls), 4)}


def turns_of(engine: Engine, hit: Any) -> list[int]:
    document = engine.store.documents.get(engine.project.id, hit.document_id)
    assert document is not None
    starts = document.metadata["marks"]["starts"]
    return [number for number, start in enumerate(starts) if hit.citation.span.start <= start < hit.citation.span.end]


if __name__ == "__main__":
    main()
