"""Queries drawn by the grammar, against a reader that looks at every paragraph: in English, German, Chinese, Russian.

    ./dev bench query_syntax [--queries N] [--seed N] [--engine database|snapshot|URL of PostgreSQL] [--out DIR]

Words, beginnings, phrases, exclusions, AND, OR, NOT and parentheses are drawn from the paragraphs' own words. The
reader knows nothing of Octavo: it cuts words at what is no letter, takes Snowball's stems, and looks for characters in
a Chinese text. An answer is right if words alone find exactly the paragraphs that the reader finds. Writes
DIR/query_syntax.json; the exit code is 1 if an answer is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import Stemmer

from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.config.layered_config_loading import validated
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES

PARAGRAPHS = {
    "en": """
        The manager was running many meetings, and the meeting about money began when everybody had beginnings in mind.
        Many managers begin with a running budget; the ensemble ensures that nobody enters the entrance before the end.
        Error codes are written to the server log, and every timeout ends with an error code that the reader can search.
        The database connection timed out while the library was indexing; connecting again began another transaction.
        Libraries of engineers index their documents at night, so searching in the morning finds a day's documentation.
        Gardeners plant apple trees in autumn; the trees are watered, and apples from the garden are eaten in winter.
        A telescope with a cooled mirror shows the moons of planets; cooling the mirrors takes hours in warm nights.
        The reader of this manual should possibly test the possibility of a restore before the capability is needed.
        Universities and their university libraries lend telescopes to gardeners who are happily testing happiness.
        Dying batteries and lying sensors tie the engineers to the server; tying cables ends the timeout of the meeting.
    """,
    "de": """
        Das alte Haus steht neben dem Garten der Nachbarn, und in der Nacht ist die Straße vor den Häusern leer.
        Die Datenbank wird in der Nacht gesichert, damit die Sicherung der Daten am Morgen geprüft werden kann.
        Der Nachbar hat einen Apfelbaum im Garten, und die Äpfel von den Bäumen liegen im Keller des Hauses.
        Wenn die Verbindung zur Datenbank nicht gelingt, versucht der Server es noch einmal und meldet dann den Fehler.
        Fehler bei der Sicherung sind selten, aber der Fehlercode ist in der Datei, die auch die Meldungen enthält.
        Die Bibliothek der Universität ist am Abend für alle offen, und die Bücher stehen nach Themen geordnet im Regal.
        Ein Fernrohr mit einem kalten Spiegel zeigt die Monde der Planeten, wenn die Nacht klar ist und nicht zu warm.
        Die Leser der Bücher suchen in den Bibliotheken nach einem Wort, das sie nicht mehr ganz im Kopf haben.
        Am Morgen prüft der Gärtner die Bäume, und am Abend schreibt er in ein Buch, was er im Garten gesehen hat.
        Die Meldung des Servers war kurz, und die Prüfung der Dateien hat gezeigt, dass keine von ihnen beschädigt ist.
    """,
    "zh": """
        我喜欢睡觉，也喜欢我的猫。猫在花园里睡觉。
        数据库每天晚上备份，服务器在早上检查备份文件。
        花园里有苹果树，秋天的苹果很甜。
        望远镜的镜子需要冷却，晚上可以看到月亮。
        图书馆的书很多，读者晚上也可以来看书。
        服务器的错误代码写在日志文件里，读者可以搜索。
        我的邻居有一只小狗和一只小猫，它们不喜欢睡觉。
        早上的会议很长，经理说了很多次备份数据库。
        苹果树下有一本书，是图书馆的书。
        搜索数据库的时候连接超时，日志里有错误。
    """,
    "ru": """
        Зеркало телескопа остывает два часа, и тёплой ночью телескопы показывают луну хуже.
        База данных сохраняется каждую ночь, а сервер утром проверяет сохранённые файлы.
        В саду соседа растут яблони, и осенью яблоки лежат под каждой яблоней.
        Библиотека университета открыта вечером, и читатели библиотек ищут книги по темам.
        Ошибка соединения записана в журнал сервера, поэтому читатель журнала находит код ошибки.
        Сосед купил старый дом возле сада, и ночью окна этого дома не видны с улицы.
        Работающие ночью инженеры проверяют соединения серверов и пишут ошибки в книгу.
        Луна и планеты видны в телескоп, когда зеркала остыли и ночь ясная.
        Утром садовник проверяет деревья и вечером записывает в книгу, что увидел в саду.
        Проверка файлов показала, что сохранение базы прошло без ошибок и данные целы.
    """,
}
_SNOWBALL = {"en": "english", "de": "german", "ru": "russian"}
_WORD = re.compile(r"[^\W\d_]+")
_RUN = re.compile(r"[\u4e00-\u9fff]+")
_LEAST = 5  # letters of a word that is drawn: shorter ones are function words, which queries leave out
_FUNCTION_WORDS = """about again another before every should their there these while where which neben damit einen
    einem einmal dieser durch keine können noch nicht über wenn werden when"""


@cache
def stemmed(word: str, language: str) -> str:
    return str(Stemmer.Stemmer(_SNOWBALL[language]).stemWord(word))


@cache
def folded(word: str) -> str:
    """Lower case, and Latin letters without their marks; й stays a letter."""
    lower = word.casefold().replace("ё", "е")
    if re.match("[а-я]", lower):
        return lower
    return "".join(c for c in unicodedata.normalize("NFD", lower) if not unicodedata.combining(c))


class Paragraph:
    """What a reader sees of one."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.typed = [word.removesuffix("'s") for word in re.findall(r"[^\W\d_]+(?:'s)?", text)]
        self.written = [folded(word) for word in self.typed]
        self.tokens = [self._token(word) for word in self.written]
        self.german = {_german(word) for word in self.typed} if language == "de" else set()

    def _token(self, word: str) -> str:
        return stemmed(word, "ru" if self.language == "ru" else "en")

    def has_word(self, word: str) -> bool:
        if _RUN.match(word):
            return word in self.text
        token = stemmed(folded(word), "ru" if re.match("[а-я]", folded(word)) else "en")
        return token in self.tokens or _german(word) in self.german

    def has_beginning(self, start: str) -> bool:
        if _RUN.match(start):
            return start in self.text
        return any(word.startswith(folded(start)) for word in self.written)

    def has_phrase(self, words: Sequence[str]) -> bool:
        if _RUN.match(words[0]):
            return words[0] in self.text
        tokens = [self._token(folded(word)) for word in words]
        return any(self.tokens[at : at + len(tokens)] == tokens for at in range(len(self.tokens)))

    def has_compound_of(self, word: str) -> bool:
        """German joins words: those that share a long beginning or end with it may be found by it."""
        stem = _german(word)[:5]
        return self.language == "de" and any(stem in other or other[:5] in _german(word) for other in self.german)


def _german(word: str) -> str:
    return folded(stemmed(unicodedata.normalize("NFC", word).casefold(), "de"))


class Drawn(NamedTuple):
    """A query, and whether a paragraph is to be found; and whether it may be although it need not."""

    typed: str
    holds: Callable[[Paragraph], bool]
    is_word: bool = False
    may_hold: Callable[[Paragraph], bool] = lambda _: False


class Grammar:
    """Draws queries of one language."""

    def __init__(self, paragraphs: Sequence[Paragraph], chance: random.Random) -> None:
        self._paragraphs, self._chance = paragraphs, chance
        self._chinese = paragraphs[0].language == "zh"

    def query(self) -> Drawn:
        if self._chance.random() < 0.4:
            return self._plain()
        while True:
            drawn = self._expression(self._chance.choice((1, 1, 2)))
            if any(f" {operator} " in drawn.typed for operator in ("AND", "OR", "NOT")):
                # What has no other side counts for nothing.
                noise = self._chance.choice(
                    ("", "", "", " OR", " AND (", ")", " NOT") if "AND" in drawn.typed else ("",)
                )
                return drawn._replace(typed=drawn.typed + noise)

    def _plain(self) -> Drawn:
        """Words side by side, of which any is enough; phrases, which are demanded; what is excluded."""
        units = [self._clause(short=True) for _ in range(self._chance.randint(1, 3))]
        refused = [self._clause() for _ in range(self._chance.choice((0, 0, 1)))]
        words = [unit for unit in units if unit.is_word]
        demanded = [unit for unit in units if not unit.is_word]

        def holds(paragraph: Paragraph, loosely: bool = False) -> bool:
            if any(unit.holds(paragraph) for unit in refused) or not all(unit.holds(paragraph) for unit in demanded):
                return False
            return bool(demanded) or any(
                unit.holds(paragraph) or (loosely and unit.may_hold(paragraph)) for unit in words
            )

        typed = [unit.typed for unit in units] + [f"-{unit.typed}" for unit in refused]
        self._chance.shuffle(typed)
        return Drawn(" ".join(typed), holds, may_hold=lambda paragraph: holds(paragraph, loosely=True))

    def _expression(self, depth: int) -> Drawn:
        operator = self._chance.choice(("AND", "OR"))
        parts = [self._group(depth) for _ in range(self._chance.choice((1, 2, 2, 3)))]
        if operator == "AND":
            return Drawn(" AND ".join(part.typed for part in parts), lambda p: all(part.holds(p) for part in parts))
        return Drawn(" OR ".join(part.typed for part in parts), lambda p: any(part.holds(p) for part in parts))

    def _group(self, depth: int) -> Drawn:
        units = [self._unit(depth) for _ in range(self._chance.choice((1, 1, 2)))]
        refused = [self._unit(depth) for _ in range(self._chance.choice((0, 0, 1)))]
        words = [unit for unit in units if unit.is_word]
        demanded = [unit for unit in units if not unit.is_word]

        def holds(paragraph: Paragraph) -> bool:
            if any(unit.holds(paragraph) for unit in refused):
                return False
            if demanded:
                return all(unit.holds(paragraph) for unit in demanded)
            return any(unit.holds(paragraph) for unit in words)

        sign = self._chance.choice(("NOT ", "-"))
        return Drawn(" ".join([unit.typed for unit in units] + [f"{sign}{unit.typed}" for unit in refused]), holds)

    def _unit(self, depth: int) -> Drawn:
        if depth and self._chance.random() < 0.4:
            inner = self._expression(depth - 1)
            return inner._replace(typed=f"({inner.typed})", is_word=False)
        return self._clause()

    def _clause(self, *, short: bool = False) -> Drawn:
        kind = self._chance.choice(("word", "word", "word", "beginning", "phrase"))
        paragraph = self._chance.choice(self._paragraphs)
        if self._chinese:
            return self._chinese_clause(paragraph, kind, 2 if short else 4)
        if kind == "phrase":
            at = self._chance.randrange(len(paragraph.typed) - 3)
            words = paragraph.typed[at : at + self._chance.choice((2, 3))]
            opened, closed = self._chance.choice(('""', "“”", "«»"))
            return Drawn(f"{opened}{' '.join(words)}{closed}", lambda p: p.has_phrase(words))
        long = [word for word in paragraph.typed if len(word) >= _LEAST and word.lower() not in _FUNCTION_WORDS.split()]
        word = self._chance.choice(long)
        if kind == "beginning":
            start = word[: self._chance.randint(3, len(word))]
            return Drawn(f"{start}*", lambda p: p.has_beginning(start), is_word=True)
        return Drawn(word, lambda p: p.has_word(word), is_word=True, may_hold=lambda p: p.has_compound_of(word))

    def _chinese_clause(self, paragraph: Paragraph, kind: str, longest: int) -> Drawn:
        run = self._chance.choice(_RUN.findall(paragraph.text))
        size = min(len(run), self._chance.randint(1, longest))
        at = self._chance.randrange(len(run) - size + 1)
        text = run[at : at + size]
        if kind == "phrase" and size > 1:
            return Drawn(f'"{text}"', lambda p: p.has_phrase([text]))
        typed = f"{text}*" if kind == "beginning" else text
        return Drawn(typed, lambda p: p.has_word(text), is_word=True)


def paragraphs() -> dict[str, Paragraph]:
    """By the name of the file that each is in."""
    return {
        f"{language}{number}.md": Paragraph(line.strip(), language)
        for language, text in PARAGRAPHS.items()
        for number, line in enumerate(text.strip().splitlines())
    }


def write(folder: Path) -> None:
    for name, paragraph in paragraphs().items():
        (folder / name).write_text(paragraph.text + "\n", "utf-8")


def wrong_answers(engine: Engine, queries: int, seed: int) -> Iterator[dict[str, Any]]:
    """Of so many queries, the same for each seed."""
    texts = paragraphs()
    chance = random.Random(seed)
    grammars = {
        language: Grammar([text for text in texts.values() if text.language == language], chance)
        for language in PARAGRAPHS
    }
    for number in range(queries):
        language = [*PARAGRAPHS][number % len(PARAGRAPHS)]
        drawn = grammars[language].query()
        result = engine.search(Query(drawn.typed, limit=len(texts)), PROFILES["lexical_only"])
        # What the library has no word of is looked for by its English words too.
        glosses = [str(stage.detail.get("in_english", "")) for stage in result.trace]
        english = {token for gloss in glosses if gloss for token in shared_analyzer().query_tokens(gloss)}
        found = {copy for hit in result.hits for copy in (hit.citation.uri, *(copy.uri for copy in hit.copies))}
        missed = {name for name, text in texts.items() if drawn.holds(text)} - found
        too_many = {
            name
            for name in found
            if not (drawn.holds(texts[name]) or drawn.may_hold(texts[name]))
            and english.isdisjoint(shared_analyzer().tokens(texts[name].text))
        }
        if missed or too_many:
            yield {"query": drawn.typed, "missed": sorted(missed), "too_many": sorted(too_many)}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--queries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--engine", default="database")
    parser.add_argument("--out", type=Path, default=Path("bench"))
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "notes")
        folder.mkdir()
        write(folder)
        library = options.engine if "://" in options.engine else str(Path(scratch, "library.db"))
        settings: dict[str, Any] = {"library": library, "embedding": {"provider": "hashing"}}
        if options.engine == "snapshot":
            settings["snapshots"] = {"threshold": 1}
        with open_engine(validated(Config, settings), create=True) as engine:
            engine.add_collection("notes", folder)
            engine.index()
            wrong = list(wrong_answers(engine, options.queries, options.seed))
    options.out.mkdir(parents=True, exist_ok=True)
    written = {"engine": options.engine.split(":")[0], "queries": options.queries, "seed": options.seed, "wrong": wrong}
    (options.out / "query_syntax.json").write_text(json.dumps(written, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for answer in wrong[:20]:
        print(json.dumps(answer, ensure_ascii=False))
    print(f"{options.queries} queries, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
