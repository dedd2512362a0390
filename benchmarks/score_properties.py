"""What must not change a score: a filter, a limit, a floor, words around a question, a document about something else.

    ./dev bench score_properties FOLDER [--pairs N] [--asked N] [--seed N]

Makes a library of FOLDER with the bundled encoder and asks for words and runs of words of its documents. Prints every
answer that breaks a property, and how many were asked:

- the same hit has the same score with another limit, filter or floor;
- a question around a word that one document has, or some, finds one that has it;
- a document that shares neither a word nor the subject changes no order and moves no score by more than .05.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from octavo.algorithms.markdown.front_matter_block import FRONT_MATTER
from octavo.algorithms.text.english_stopwords import FRAMING_WORDS
from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.fast_dataclass import replace
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters, Query
from octavo.model.search_result import Hit

MOST_MOVED = 0.05
TEMPLATES = (
    "{}?",
    "what is {}?",
    "what does {} mean?",
    "what does it mean when I get a {}?",
    "what should I do first when I start with {}?",
    "can you tell me something about {} please",
    "I was wondering whether there is anything here on {}",
    "how do I find out more about {}?",
    "where do we say what to do about {}?",
    "help, I need to know about {}",
)
STRANGERS = (
    "Le boulanger pétrit la pâte avant l'aube, puis la laisse lever sous un linge.\n",
    "Der Fahrplan der Fähre gilt bis Oktober; danach fährt sie nur noch am Wochenende.\n",
    "Quarterly invoices fall due thirty days past receipt; late payment incurs interest.\n",
    "A goalkeeper punched clear, yet nobody marked their striker, who equalised late on.\n",
    "Whisk egg yolks with sugar until pale, fold in mascarpone, chill overnight.\n",
)
_WORD = re.compile(r"(?<![\w-])[A-Za-z]{4,}(?![\w-])")


@contextmanager
def library(folder: Path, extra: Mapping[str, str] | None = None) -> Iterator[Engine]:
    """The folder in a library of its own, with documents beside it."""
    with tempfile.TemporaryDirectory() as work:
        beside = Path(work) / "beside"
        beside.mkdir()
        for name, text in (extra or {}).items():
            (beside / name).write_text(text, "utf-8")
        config = Config(library=Path(work) / "library.db")
        with open_engine(config, create=True) as engine:
            engine.add_collection("notes", folder, CollectionSettings(history=False))
            if extra:
                engine.add_collection("beside", beside)
            engine.index(wait_full=True)
            yield engine


def texts(engine: Engine) -> dict[str, str]:
    """Uri → text of the documents of the folder, without their properties, of which only some are searched."""
    documents, project = engine.store.documents, engine.project.id
    found = {}
    for uri, entry in sorted(engine.store.ledger.entries(project, engine.collection("notes").id).items()):
        stored = documents.get(project, entry.document_id) if entry.document_id else None
        if stored is not None:
            found[uri] = FRONT_MATTER.sub("", documents.texts(project, [stored.text_hash])[stored.text_hash])
    return found


def queries(engine: Engine, chance: random.Random) -> Iterator[str]:
    """Runs of one to six words of the documents, without end."""
    words = [found for text in texts(engine).values() if len(found := _WORD.findall(text)) > 6]
    while True:
        some = chance.choice(words)
        start = chance.randrange(len(some) - 6)
        yield " ".join(some[start : start + chance.randint(1, 6)])


def changed_scores(engine: Engine, pairs: int, seed: int) -> Iterator[str]:
    """Hits that have another score where a search has another limit, filter or floor."""
    chance = random.Random(seed)
    for _, text in zip(range(pairs), queries(engine, chance), strict=False):
        plain = Query(text, limit=10)
        expected = _scores(engine.search(plain).hits)
        hit = chance.choice(engine.search(replace(plain, floor=False)).hits)
        folder = hit.citation.uri.rpartition("/")[0]
        other = chance.choice(
            (
                replace(plain, limit=chance.choice((1, 3, 40))),
                replace(plain, floor=False),
                replace(plain, filters=Filters(uris=(hit.citation.uri,))),
                replace(plain, filters=Filters(path_prefix=f"{folder}/" if folder else None, kinds=(hit.kind,))),
                replace(plain, min_score=0.1),
            )
        )
        for chunk, score in _scores(engine.search(other).hits).items():
            if abs(expected.get(chunk, score) - score) > 1e-9:
                yield f"{text}: {chunk} has {expected[chunk]:.4f}, and {score:.4f} by {other}"


def hidden_answers(engine: Engine, asked: int, seed: int) -> Iterator[str]:
    """Questions that find no document with the word in them: rare words and common ones, by turns."""
    chance = random.Random(seed)
    # A word that only frames a question asks for nothing, and a word is found in all its forms.
    analyzer = shared_analyzer()
    aside = analyzer.stop_words | frozenset(analyzer.tokens(FRAMING_WORDS))
    holding: dict[str, set[str]] = {}
    for uri, text in texts(engine).items():
        for word in {*_WORD.findall(text)}:
            if aside.isdisjoint(tokens := analyzer.tokens(word)):
                holding.setdefault(" ".join(tokens), set()).add(uri)
    words = {" ".join(analyzer.tokens(word)): word for text in texts(engine).values() for word in _WORD.findall(text)}
    rare = sorted(token for token, uris in holding.items() if len(uris) == 1)
    common = sorted(token for token, uris in holding.items() if 3 <= len(uris) <= 12)
    for number in range(asked):
        token, template = chance.choice(common if number % 2 else rare), chance.choice(TEMPLATES)
        question = template.format(words[token])
        found = {hit.citation.uri for hit in engine.search(Query(question)).hits}
        if found.isdisjoint(holding[token]):
            yield f"{question}: none of {sorted(holding[token])} is among {sorted(found)}"


def moved_by_strangers(folder: Path, pairs: int, seed: int, strangers: Sequence[str] = STRANGERS) -> Iterator[str]:
    """Queries whose hits change their order, or a score by too much, where a document about something else is added."""
    each, tokens = max(1, pairs // len(strangers)), shared_analyzer().tokens
    foreign = frozenset(tokens(" ".join(strangers)))
    with library(folder) as engine:
        sharing_none = (text for text in queries(engine, random.Random(seed)) if foreign.isdisjoint(tokens(text)))
        before = {text: engine.search(Query(text)).hits for text in islice(sharing_none, each)}
    for stranger in strangers:
        with library(folder, {"stranger.md": stranger}) as engine:
            for text, expected in before.items():
                hits = [hit for hit in engine.search(Query(text)).hits if hit.collection != "beside"]
                yield from _moved(text, expected, hits)


def _moved(text: str, expected: Sequence[Hit], hits: Sequence[Hit]) -> Iterator[str]:
    """Of hits that both have, the order and the scores; who is at the end of a list may leave it or come."""
    before, after = _scores(expected), _scores(hits)
    both = [chunk for chunk in before if chunk in after]
    moved = max((abs(before[chunk] - after[chunk]) for chunk in both), default=0.0)
    lost = [score for chunk, score in before.items() if chunk not in after]
    if both != [chunk for chunk in after if chunk in before]:
        yield f"{text}: another order"
    elif moved > MOST_MOVED or max(lost, default=0.0) > 2 * MOST_MOVED:
        yield f"{text}: a score moved by {max([moved, *lost]):.3f}"


def _scores(hits: Sequence[Hit]) -> dict[str, float]:
    return {hit.chunk_id: hit.score for hit in hits}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--asked", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with library(options.folder) as engine:
        broken = {
            "another score by limit, filter or floor": list(changed_scores(engine, options.asked, options.seed)),
            "hidden by words around it": list(hidden_answers(engine, options.asked, options.seed)),
        }
    strange = list(moved_by_strangers(options.folder, options.pairs, options.seed))
    broken["moved by a document about something else"] = strange
    for name, cases in broken.items():
        print(f"{name}: {len(cases)}", *cases[:20], sep="\n  ")


if __name__ == "__main__":
    main()
