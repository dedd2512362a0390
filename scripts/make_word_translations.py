"""Makes the tables that translate a question's words into English, from parallel text.

    python scripts/harvest_parallel.py extract SOURCE --mirror MIRRORS --packages DEBS --stage STAGE      # each source
    python scripts/make_word_translations.py STAGE src/octavo/retrieval/word_translations

A table has a line for each token of a language, as the search index has it, with the English words that it stands for.
How likely a word is meant by a token is estimated by IBM's first model (Brown et al. 1993): every English word of a
sentence comes from one token of its translation or from none, and which, six rounds of expectation and maximisation
tell. Rows that are held back for the retrieval set are left out.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from harvest_parallel import LANGUAGES

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.retrieval.query_word_translation import tokens_in

SENTENCES = 45_000  # of a language, the shortest: what stands for what is clearer in them
LONGEST = 220  # characters of English
TOKENS = 60  # of a translation
SEEN = 3  # times, before a word or a token counts
ROUNDS = 6
LEAST = 0.2  # the likelihood of a translation
FEWEST = 1.5  # times that a translation was probably meant
MOST = 2  # translations of a token
_WORD = re.compile(r"[A-Za-z][A-Za-z-]+")


class English:
    """Sentences as the stems of their words, and how each stem is mostly written."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer, self._known = analyzer, dict[str, tuple[str, ...]]()
        self._written: dict[str, Counter[str]] = defaultdict(Counter)

    def stems(self, text: str) -> tuple[str, ...]:
        if text not in self._known:
            self._known[text] = tuple(dict.fromkeys(self._read(text)))
        return self._known[text]

    def written(self, stem: str) -> str:
        return max(self._written[stem].items(), key=lambda item: (item[1], item[0]))[0]

    def _read(self, text: str) -> Iterator[str]:
        for word in map(str.lower, _WORD.findall(text)):
            tokens = self._analyzer.query_tokens(word)
            if len(tokens) == 1 and tokens[0] not in self._analyzer.stop_words:
                self._written[tokens[0]][word] += 1
                yield tokens[0]


def parallel(stage: Path) -> dict[str, list[tuple[str, str]]]:
    """The pairs of every language, the shortest English first."""
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in sorted(stage.glob("*.jsonl")):
        if path.name.endswith(".pages.jsonl"):
            continue
        for line in path.open(encoding="utf-8"):
            _, english, translations, _, held = json.loads(line)
            if not held and len(english) <= LONGEST:
                for language, text in translations.items():
                    if text != english:
                        pairs[language].append((english, text))
    return {language: sorted(rows, key=lambda row: len(row[0]))[:SENTENCES] for language, rows in pairs.items()}


def likely(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, list[tuple[str, float]]]:
    """Token → words that it stands for, the likeliest first. Each pair is the words and the tokens of a sentence."""
    words = _numbered(word for english, _ in pairs for word in english)
    tokens = _numbered(token for _, foreign in pairs for token in foreign)
    nobody = len(tokens)
    whose, which, choice, choices = list[int](), list[int](), list[int](), 0
    for english, foreign in pairs:
        known = [*(tokens[token] for token in foreign if token in tokens), nobody]
        for word in english:
            if word in words:
                whose += known
                which += [words[word]] * len(known)
                choice += [choices] * len(known)
                choices += 1
    owners, chosen = np.array(whose, np.int64), np.array(choice, np.int64)
    cells, cell = np.unique(owners * len(words) + np.array(which, np.int64), return_inverse=True)
    owner = cells // len(words)
    likelihood = np.full(len(cells), 1 / len(words))
    meant = likelihood
    for _ in range(ROUNDS):
        shares = likelihood[cell]
        shares = shares / np.bincount(chosen, shares, choices)[chosen]
        meant = np.bincount(cell, shares, len(cells))
        likelihood = meant / np.maximum(np.bincount(owner, meant, nobody + 1)[owner], 1e-9)
    found: dict[str, list[tuple[str, float]]] = defaultdict(list)
    token_of, word_of = list(tokens), list(words)
    for place in np.lexsort((-likelihood, owner)):
        if owner[place] != nobody and likelihood[place] >= LEAST and meant[place] >= FEWEST:
            found[token_of[owner[place]]].append((word_of[cells[place] % len(words)], float(likelihood[place])))
    return found


def _numbered(names: Iterable[str]) -> dict[str, int]:
    counts = Counter(names)
    return {name: number for number, name in enumerate(name for name in counts if counts[name] >= SEEN)}


def table(found: Mapping[str, Sequence[tuple[str, float]]], english: English) -> str:
    rows = {token: " ".join(english.written(word) for word, _ in words[:MOST]) for token, words in found.items()}
    return "".join(f"{token}\t{words}\n" for token, words in sorted(rows.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the tables that translate a question's words into English.")
    parser.add_argument("stage", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--languages", nargs="+", default=LANGUAGES)
    arguments = parser.parse_args()
    analyzer = Analyzer()
    english, sentences = English(analyzer), parallel(arguments.stage)
    for language in arguments.languages:
        pairs = []
        for sentence, translation in sentences[language]:
            tokens = tuple(dict.fromkeys(tokens_in(translation, language, analyzer)))
            if tokens and len(tokens) <= TOKENS:
                pairs.append((english.stems(sentence), tokens))
        text = table(likely(pairs), english)
        (arguments.output / f"{language}.tsv").write_text(text, "utf-8")
        print(language, len(pairs), text.count("\n"), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
