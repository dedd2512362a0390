"""How often a false claim is called supported, and a true one, by the kind of change that was made to a real sentence.

    ./dev bench support CORPUS.jsonl.gz NOTES/ … --each 40 --json support.json

A corpus has one passage a line (`title`, `text`); of a folder, every Markdown file is cut at its headings. A claim is a
sentence of a passage with one change, drawn by a seed: no claim is kept in the repository. Claims written by hand over
the example vault are measured as well: tests/unit/answering/claims.tsv.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import NamedTuple

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.answering.citable_passages import NumberedPassage
from octavo.answering.citation_verification import CitationChecker, Support
from octavo.answering.sentence_splitting import sentences
from octavo.embedding.bundled_embedder import bundled_embedder
from octavo.model.document import Kind
from octavo.model.ids import ChunkId, DocumentId
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.search_result import Citation, Hit

_ROOT = Path(__file__).parents[1]
_BY_HAND = _ROOT / "tests/unit/answering/claims.tsv"
_LONGEST = 2_000  # characters of a passage: what a search shows
_TRUE = frozenset(
    {"verbatim", "two sentences", "paraphrase", "reordered", "digits and words", "shortened", "resolved", "active"}
)

_MONTH_NAMES = "January February March April May June July August September October November December"
_DAY_NAMES = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_NUMBER_NAMES = "two three four five six seven eight nine ten eleven twelve"
_MONTHS, _DAYS, _NUMBERS = _MONTH_NAMES.split(), _DAY_NAMES.split(), _NUMBER_NAMES.split()
_UNIT_PAIRS = """cm inch|mm cm|m ft|metres feet|meters feet|km miles|kilometres miles|kilometers miles|miles kilometres
|feet metres|ft m|kg lb|g kg|hours minutes|minutes hours|seconds minutes|days weeks|weeks months
|months years|years months|million thousand|thousand million|billion million|percent points|ms s|GB MB
|MB GB|acres hectares|inches centimetres"""
_OPPOSITES = """first last|before after|above below|more less|higher lower|largest smallest|oldest youngest|long short
|early late|increase decrease|increased decreased|open close|opens closes|always never|inside outside
|left right|north south|northern southern|western eastern|best worst|success failure|public private
|new old|large small|high low|most least|major minor|win lose|won lost|enable disable|enabled disabled
|add remove|added removed|same different|male female|true false|visible hidden|allow prevent
|allows prevents|start stop|begin end|began ended|born died|common rare|upper lower|include exclude
|includes excludes|light dark|strong weak|fast slow|former latter|with without|top bottom
|automatically manually|required optional|local remote|known unknown"""
_SYNONYMS = """film movie|movie film|begin start|began started|begins starts|shows displays|located situated
|wrote authored|big large|buy purchase|help assist|large big|quickly rapidly|also too|helps assists
|build construct|built constructed|create make|creates makes|choose select|select choose|remove delete
|delete remove|use utilize|founded established|established founded|currently presently|released issued
|about approximately|approximately about|automatically by itself|require need|requires needs
|folder directory|often frequently|near close to|however but|obtain get|ended finished|over more than
|many numerous"""


def _pairs(listed: str) -> dict[str, str]:
    return dict(pair.strip().split(" ", 1) for pair in listed.replace("\n", "").split("|"))


class Source(NamedTuple):
    title: str
    text: str


class Claim(NamedTuple):
    kind: str
    source: Source
    text: str


class Sentence(NamedTuple):
    """A sentence with what a change may need: the one after it, its passage, and other passages."""

    text: str
    following: str
    source: Source
    others: Sequence[Source]


Change = Callable[[Sentence, random.Random], str | None]


def _replaced(text: str, pattern: str, choose: Callable[[str], str | None], rng: random.Random) -> str | None:
    found = list(re.finditer(pattern, text))
    if not found:
        return None
    one = rng.choice(found)
    other = choose(one[0])
    return None if other is None or other == one[0] else text[: one.start()] + other + text[one.end() :]


def _number(given: Sentence, rng: random.Random) -> str | None:
    def other(said: str) -> str:
        if said.isalpha():
            return rng.choice([word for word in _NUMBERS if word != said])
        value = int(said.replace(",", ""))
        return str(
            value + rng.choice([-3, -2, -1, 1, 2, 3, 5, 10]) if value < 2100 else value + rng.choice([100, 1000])
        )

    return _replaced(
        given.text, rf"\b(?:{'|'.join(_NUMBERS)})\b|(?<![\w.,-])\d{{1,3}}(?:,\d{{3}})*(?![\w.,-])(?!\s*%)", other, rng
    )


def _number_elsewhere(given: Sentence, rng: random.Random) -> str | None:
    rest = given.source.text.replace(given.text, "")
    there = sorted({*re.findall(r"(?<![\w.,-])\d+(?![\w.,-])", rest)} - {*re.findall(r"\d+", given.text)})
    return _replaced(given.text, r"(?<![\w.,-])\d+(?![\w.,-])", lambda _: rng.choice(there), rng) if there else None


def _time(given: Sentence, rng: random.Random) -> str | None:
    def other(said: str) -> str:
        for words in (_MONTHS, _DAYS):
            if said in words:
                return rng.choice([word for word in words if word != said])
        return str(int(said) + rng.choice([-10, -4, -1, 1, 2, 7]))

    return _replaced(given.text, rf"\b(?:{'|'.join(_MONTHS + _DAYS)}|1[5-9]\d\d|20[0-2]\d)\b(?![.,]\d)", other, rng)


def _unit(given: Sentence, rng: random.Random) -> str | None:
    units = _pairs(_UNIT_PAIRS)
    pattern = rf"(?:(?<=\d )|(?<=(?:four|five|nine) ))(?:{'|'.join(units)})\b"
    return _replaced(given.text, pattern, units.get, rng)


_NAME = r"(?<=[a-z,] )(?:[A-Z][a-z]+)(?: [A-Z][a-z]+)*"


def _name(given: Sentence, rng: random.Random) -> str | None:
    names = [name for other in given.others for name in re.findall(_NAME, other.text) if name not in given.source.text]
    return _replaced(given.text, _NAME, lambda _: rng.choice(names) if names else None, rng)


def _name_elsewhere(given: Sentence, rng: random.Random) -> str | None:
    rest = given.source.text.replace(given.text, "")
    there = sorted({name for name in re.findall(_NAME, rest) if name not in given.text})
    return _replaced(given.text, _NAME, lambda _: rng.choice(there), rng) if there else None


def _antonym(given: Sentence, rng: random.Random) -> str | None:
    pairs = _pairs(_OPPOSITES)
    pairs |= {other: word for word, other in pairs.items()}
    unsaid = {word: other for word, other in pairs.items() if other not in given.text}
    return _replaced(given.text, rf"\b(?:{'|'.join(unsaid)})\b", unsaid.get, rng)


def _negation(given: Sentence, rng: random.Random) -> str | None:
    if re.search(r"\b(?:never|no|none|nor|neither)\b", given.text):
        return None
    if " not " in given.text:
        return given.text.replace(" not ", " ", 1)
    return _replaced(
        given.text, r"\b(?:is|are|was|were|can|will|should|must)\b(?! not|n't)", lambda said: f"{said} not", rng
    )


def _unmentioned(given: Sentence, rng: random.Random) -> str | None:
    tails = [
        tail
        for other in given.others
        for tail in re.findall(r" (?:in|with|by|for|near|under) (?:the |a )?[a-z]+(?: [a-z]+){1,2}(?=\.)", other.text)
    ]
    return given.text[:-1] + rng.choice(tails) + "." if tails and given.text.endswith(".") else None


def _roles(given: Sentence, rng: random.Random) -> str | None:
    no_name = f"(?!(?:The|In|This|It|He|She|A|An|{'|'.join(_MONTHS)})\\b)"
    names = list(re.finditer(rf"\b{no_name}[A-Z][a-z]+(?: {no_name}[A-Z][a-z]+)*", given.text))
    for one, other in pairwise(names):
        between = given.text[one.end() : other.start()]
        known = one.start() > 0 or re.search(rf"[a-z,] {re.escape(one[0])}\b", given.source.text)
        if (
            known
            and re.search(r" (?:\w+ed|is|was|has|had|won|wrote|met|led|made|told|gave|beat|owns|plays) ", between)
            and len(between) < 60
            and "," not in between
        ):
            return given.text[: one.start()] + other[0] + between + one[0] + given.text[other.end() :]
    found = re.match(r"(The|A|An) (\w+) (\w+s|\w+ed) (the|a|an) (\w+)\b(.*)", given.text)
    return f"{found[1]} {found[5]} {found[3]} {found[4]} {found[2]}{found[6]}" if found else None


def _verbatim(given: Sentence, _: random.Random) -> str | None:
    return given.text


def _two(given: Sentence, _: random.Random) -> str | None:
    return f"{given.text} {given.following}" if given.following else None


def _reordered(given: Sentence, _: random.Random) -> str | None:
    found = re.match(
        r"(?:(The|A|An|It|You|He|She|They|This) )(.{15,90}?),? "
        r"((?:when|if|because|after|before|in \d{4}|while|until) .{6,70})\.$",
        given.text,
    )
    return f"{found[3][0].upper()}{found[3][1:]}, {found[1].lower()} {found[2]}." if found else None


def _digits_and_words(given: Sentence, rng: random.Random) -> str | None:
    spelled = {word: str(number) for number, word in enumerate(_NUMBERS, 2)}
    spelled |= {number: word for word, number in spelled.items()}
    return _replaced(given.text, rf"(?<![\w.,/-])(?:{'|'.join(spelled)})(?![\w.,:/%-])", spelled.get, rng)


def _shortened(given: Sentence, _: random.Random) -> str | None:
    short = re.sub(r" \([^)]*\)", "", given.text)
    if short == given.text:
        found = re.match(r"(.{30,}?), (?:which|who|where|including|such as) [^,]+\.$", given.text)
        short = f"{found[1]}." if found else short
    return short if short != given.text else None


def _resolved(given: Sentence, _: random.Random) -> str | None:
    if re.search(r"\b(?:that|whether|to)\b", given.text):
        return None  # it is known that
    found = re.match(r"(?:It|He|She) ((?:is|was|has|had|stars|plays|became|can|won) .+)$", given.text)
    return (
        f"{given.source.title} {found[1]}"
        if found and given.source.title and re.fullmatch(r"[A-Z][\w .-]{2,40}", given.source.title)
        else None
    )


def _active(given: Sentence, _: random.Random) -> str | None:
    found = re.match(
        r"((?:It|The \w+|This \w+)) (?:was|is) (\w+ed) by ((?:the )?[A-Z][\w.]+(?: [A-Z][\w.]+){0,3})"
        r"((?: (?:in|and|on) [^,]*)?)\.$",
        given.text,
    )
    return (
        f"{found[3][0].upper()}{found[3][1:]} {found[2]} {found[1].lower()}{found[4]}."
        if found and " and " not in found[4]
        else None
    )


def _paraphrase(given: Sentence, rng: random.Random) -> str | None:
    pairs = _pairs(_SYNONYMS)
    return _replaced(given.text, rf"(?<=[a-z] )(?:{'|'.join(pairs)})(?= [a-z])", pairs.get, rng)


CHANGES: dict[str, Change] = {
    "number": _number,
    "number elsewhere": _number_elsewhere,
    "time": _time,
    "unit": _unit,
    "name": _name,
    "name elsewhere": _name_elsewhere,
    "antonym": _antonym,
    "negation": _negation,
    "unmentioned": _unmentioned,
    "roles": _roles,
    "verbatim": _verbatim,
    "two sentences": _two,
    "reordered": _reordered,
    "digits and words": _digits_and_words,
    "shortened": _shortened,
    "resolved": _resolved,
    "active": _active,
    "paraphrase": _paraphrase,
}


def sources(path: Path) -> Iterator[Source]:
    if path.is_dir():
        for file in sorted(path.rglob("*.md")):
            text = re.sub(r"\A---\n.*?\n---\n", "", file.read_text("utf-8"), flags=re.DOTALL)
            for part in re.split(r"(?m)^(?=#{1,6} )", text):
                yield Source(file.stem, part[:_LONGEST])
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield Source(row.get("title") or "", row["text"][:_LONGEST])


def drawn(corpus: Sequence[Source], each: int, rng: random.Random) -> Iterator[Claim]:
    """At most so many claims of each kind, one of a passage."""
    for kind, change in CHANGES.items():
        made = 0
        for source in rng.sample(corpus, len(corpus)):
            found = [one.text for one in sentences(source.text)]
            whole = [(text, after) for text, after in zip_longest(found, found[1:], fillvalue="") if _plain(text)]
            rng.shuffle(whole)
            others = rng.sample(corpus, min(8, len(corpus)))
            for text, after in whole:
                claim = change(Sentence(text, after if _plain(after) else "", source, others), rng)
                if claim and (kind in _TRUE or claim not in source.text):
                    yield Claim(kind, source, claim)
                    made += 1
                    break
            if made == each:
                break


def _plain(text: str) -> bool:
    return 30 < len(text) < 260 and text[0].isupper() and text.endswith(".") and not re.search(r"[|\[\]{}<>`*]", text)


def by_hand() -> Iterator[Claim]:
    for line in _BY_HAND.read_text("utf-8").splitlines():
        file, kind, claim = line.split("\t")
        path = _ROOT / "examples/vault" / file
        text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text("utf-8"), flags=re.DOTALL)
        yield Claim(kind, Source(path.stem, text), claim)


def passage(source: Source) -> NumberedPassage:
    citation = Citation("a.md", (), Span(0, len(source.text)), Lines(1, 1 + source.text.count("\n")))
    hit = Hit(1, 0.5, "c", Kind.NOTE, source.title, citation, source.text, False, ChunkId("c"), DocumentId("d"), 0.0)
    return NumberedPassage(1, hit)


def measured(name: str, claims: Sequence[Claim], shown: int) -> dict[str, float]:
    embedder, analyzer = bundled_embedder(), Analyzer()
    rows: dict[str, list[bool]] = {}
    began = time.perf_counter()
    for claim in claims:
        checked = CitationChecker([passage(claim.source)], lambda: embedder, analyzer).check(claim.text, [1])
        supported = checked.support is Support.SUPPORTED
        rows.setdefault(claim.kind, []).append(supported)
        if supported != (claim.kind in _TRUE) and len(rows[claim.kind]) <= shown:
            print(f"  {claim.kind}: {claim.text} {checked.evidence.problems}")
    took = (time.perf_counter() - began) / max(1, len(claims))
    table = {kind: sum(said) / len(said) for kind, said in rows.items()}
    for label, true in (("false", False), ("true", True)):
        said = [each for kind, several in rows.items() if (kind in _TRUE) is true for each in several]
        print(f"{name}: {label} claims called supported {sum(said) / max(1, len(said)):.2f} of {len(said)}")
        table[label] = sum(said) / max(1, len(said))
        for kind, several in sorted(rows.items()):
            if (kind in _TRUE) is true:
                print(f"  {kind:18} {sum(several) / len(several):.2f} of {len(several)}")
    print(f"  {1e3 * took:.1f} ms a claim, its passage read anew")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path, nargs="*")
    parser.add_argument("--each", type=int, default=40, help="claims of each kind from each corpus")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=0, help="wrong verdicts to print among the first of each kind")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    tables = {"by hand": measured("by hand", [*by_hand()], asked.show)}
    for path in asked.corpora:
        claims = [*drawn([*sources(path)], asked.each, random.Random(asked.seed))]
        tables[path.name] = measured(path.name, claims, asked.show)
    if asked.json:
        asked.json.write_text(json.dumps(tables, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
