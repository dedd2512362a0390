"""Writes data sets exactly as the pipeline embeds them, for the scripts that make the weights to measure by.

    octavo eval table DATA/scifact …
    python scripts/write_sets.py sets.json.xz scifact=DATA/scifact scifact.train=DATA/scifact:qrels=qrels.train.tsv …

Reads the libraries that `octavo eval` left in its cache (or in `--cache`), and changes nothing there. What stands
before the dot is the set's name, what follows it tells other questions over the same documents apart; a data set is
said as for `octavo eval table`. A set has `inputs`, the number of a document with each text that stands for
it, and `queries` with their judgements and, where questions are confined to a group, the numbers of its documents.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import apsw
import zstandard

from octavo.config.layered_config_loading import load
from octavo.config.schema import Config
from octavo.engine.wiring.configured_index_recipe import recipe_of
from octavo.evaluation.beir_dataset import Dataset, read_dataset
from octavo.evaluation.dataset_evaluation import EvaluateRequest, cache_folder, grouped, names_of, place_of, request_of
from octavo.model.ids import text_hash

INPUTS = """
    select co.name, d.uri, d.text_hash, i.start, i."end", i.context, n.hash
    from chunk_inputs i
    join chunks c on c.key = i.chunk
    join documents d on d.key = c.document
    join collections co on co.key = d.collection
    join inputs n on n.key = i.input
"""


def numbered(dataset: Dataset, scope: str | None) -> tuple[dict[tuple[str, str], int], dict[str, int], dict[str, Any]]:
    """The number of each document by its place in the library and by its id, and each group's first and last."""
    names = names_of(grouped(dataset, scope))
    places = {place: number for number, place in enumerate(names.documents)}
    ids = {document: number for number, document in enumerate(names.documents.values())}
    ends = accumulate(names.sizes.values())
    spans = {group: [end - size, end] for (group, size), end in zip(names.sizes.items(), ends, strict=True)}
    return places, ids, spans


def inputs_of(library: Path, places: Mapping[tuple[str, str], int]) -> list[tuple[int, str]]:
    """Every text the library embeds, with its document's number. A text that is not what its hash says is an error."""
    unzip = zstandard.ZstdDecompressor()
    held: dict[Any, str] = {}
    found = []
    database = apsw.Connection(str(library), flags=apsw.SQLITE_OPEN_READONLY)
    for collection, uri, hashed, start, end, context, wanted in database.execute(INPUTS):
        if hashed not in held:
            raw = next(database.execute("select data from texts where hash = ?", (hashed,)))[0]
            held = {hashed: unzip.decompress(raw).decode("utf-8", "surrogatepass")}
        text = held[hashed][start:end]
        text = f"{context}\n{text}" if context else text
        if text_hash(text) not in (wanted, wanted.hex() if isinstance(wanted, bytes) else wanted):
            raise SystemExit(f"{library}: a text of {uri} is not what was embedded")
        found.append((places[collection, uri], text))
    return sorted(found, key=lambda one: one[0])


def made(config: Config, cache: Path, request: EvaluateRequest) -> tuple[list[tuple[int, str]], list[Any]]:
    dataset = read_dataset(request.dataset, request.files)
    folder, name = place_of(cache, dataset, request.scope, recipe_of(config))
    library = folder / f"{name}.db"
    if not library.exists():
        raise SystemExit(f"there is no {library}: run `octavo eval table` over {request.dataset} first")
    places, ids, spans = numbered(dataset, request.scope)
    queries = []
    for question in dataset.questions:
        judged = {str(ids[one]): value for one, value in dataset.qrels[question.id].items() if value > 0}
        span = spans[str(question.metadata[request.scope])] if request.scope else None
        queries.append([question.text, judged, span])
    return inputs_of(library, places), queries


def main() -> int:
    parser = argparse.ArgumentParser(description="Write data sets as the pipeline embeds them.")
    parser.add_argument("out", type=Path)
    parser.add_argument("sets", nargs="+", metavar="NAME=DATASET")
    parser.add_argument("--cache", type=Path, default=cache_folder())
    arguments = parser.parse_args()
    config = load().config
    sets: dict[str, dict[str, Any]] = {}
    for said in arguments.sets:
        name, _, dataset = said.partition("=")
        name, _, tag = name.partition(".")
        inputs, queries = made(config, arguments.cache, request_of(dataset, (), "ndcg@10")[0])
        one = sets.setdefault(name, {"name": name, "inputs": inputs, "queries": {}})
        if one["inputs"] != inputs:
            raise SystemExit(f"{said}: not the documents of {name}")
        one["queries"][tag] = queries
        print(said, len(inputs), "inputs", len(queries), "queries", flush=True)
    raw = json.dumps(list(sets.values()), ensure_ascii=False).encode()
    arguments.out.write_bytes(lzma.compress(raw, preset=6))
    return 0


if __name__ == "__main__":
    sys.exit(main())
