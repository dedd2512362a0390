"""Second hop without a language model: searches for the titles that the best passages mention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.ids import ChunkKey
from octavo.model.query import Terms
from octavo.model.search_result import Candidate, ScoreStep
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted, texts_of

_QUALIFIED = regex(r"\s*\([^)]*\)\s*$")
_BLANKS = regex(r"[\W_]+")
# Names as English writes them: words that begin with capitals, `of` and the like between them, and what is linked.
_PART = r"(?:[A-Z]\.|[A-Z][\w'’-]*|\d{3,4})"
_NAME = regex(rf"\b[A-Z][\w'’-]*(?:[ ](?:(?:of|of the|de|von|van|for)[ ])?{_PART})*")
_LINKED = regex(r"\[\[([^\]|#]+)[^\]]*\]\]")
_SHORTEST = 4  # letters of a title: shorter ones stand everywhere by chance


@dataclass(frozen=True, slots=True)
class Bridges:
    """Raises candidates that one of the best passages names, and fetches what it names from the rest of the library.

    A candidate whose title stands in the text of one of the best `seeds` gains `share` of what that one has above the
    ground; one that names the title of such a seed gains `back` of it. At most `fetched` names of the seeds that no
    candidate is called by are looked up among the titles of the library. A title of one word has to stand in the text
    with its capitals: `Home` is not named by "home". A title that more than `common` of the candidates name is the
    subject of them all, and leads nowhere.
    """

    seeds: int = 5
    share: float = 0.2
    back: float = 0.1
    among: int = 100
    fetched: int = 6
    common: int = 4
    name: str = "bridges"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if not candidates:
            raise SkipStage("there are no candidates")
        low, seeds = ground(candidates), candidates[: self.seeds]
        pool = candidates[: self.among]
        texts = texts_of(search, pool)
        fetched = self._fetched(search, candidates, texts[: self.seeds], low)
        spoken = [_Text(text) for text in texts]
        gained: dict[ChunkKey, tuple[float, str]] = {}
        named_by: dict[str, int] = {}

        def telling(title: str) -> bool:
            if title not in named_by:
                named_by[title] = sum(text.names(title) for text in spoken)
            return named_by[title] <= self.common

        for place, seed in enumerate(seeds):
            above = seed.score - low
            for other, text in zip((*pool, *fetched), (*spoken, *(None for _ in fetched)), strict=True):
                if other.document_id == seed.document_id:
                    continue
                if spoken[place].names(other.title) and telling(other.title):
                    _keep(gained, other.key, self.share * above, f"named by {seed.title}")
                elif text is not None and text.names(seed.title) and telling(seed.title):
                    _keep(gained, other.key, self.back * above, f"names {seed.title}")
        if not gained:
            raise SkipStage("no passage names another")
        search.notes |= {"raised": len(gained), "fetched": [candidate.title for candidate in fetched]}
        raised = [_raised(candidate, gained) for candidate in (*candidates, *fetched)]
        return noted(in_order(raised), self.name, {key: f"+{gain:.3f}, {why}" for key, (gain, why) in gained.items()})

    def _fetched(
        self, search: Search, candidates: Sequence[Candidate], texts: Iterable[str], low: float
    ) -> tuple[Candidate, ...]:
        """What the best passages name and no channel found, at the score of its meaning."""
        known = {_plain(candidate.title) for candidate in candidates}
        names = dict.fromkeys(name for text in texts for name in names_in(text) if _plain(name) not in known)
        keys: dict[ChunkKey, None] = {}
        listed = {candidate.key for candidate in candidates}
        library = search.library
        for name in list(names)[: self.fetched]:
            words = tuple(library.text.query_tokens(name))
            if not words:
                continue
            for chunk in search.holding(Terms(name, words=words), 2, ("title", "aliases")):
                candidate = library.store.documents.candidates(library.project, [chunk.key])[chunk.key]
                if _plain(candidate.title) == _plain(name) and candidate.key not in listed:
                    keys[chunk.key] = None
        if not keys:
            return ()
        cosines = library.meaning.vectors.score(search.vector, list(keys))
        looked_up = library.store.documents.candidates(library.project, list(keys))
        return tuple(
            candidate.scored(
                max(low, cosines.get(key, low)), (ScoreStep(self.name, max(low, cosines.get(key, low)), 1),)
            )
            for key, candidate in looked_up.items()
        )


def names_in(text: str) -> tuple[str, ...]:
    """What a text may name: links, and words with capitals of which there are two or that do not begin a sentence."""
    names = dict.fromkeys(name.strip() for name in _LINKED.findall(text))
    text = _LINKED.sub(" ", text)
    for match in _NAME.finditer(text):
        name = match[0].rstrip(".'’-")
        before = text[: match.start()].rstrip("\"'“( \t\n")
        begins = not before or before[-1] in ".!?#*-"
        if len(name) >= _SHORTEST and (" " in name or not begins):
            names[name] = None
    return tuple(names)


class _Text:
    """A passage, to be asked whether it names a title."""

    def __init__(self, text: str) -> None:
        self._as_written = f" {_BLANKS.sub(' ', text)} "
        self._folded = self._as_written.casefold()

    def names(self, title: str) -> bool:
        plain = _BLANKS.sub(" ", _QUALIFIED.sub("", title)).strip()
        if len(plain) < _SHORTEST:
            return False
        if " " in plain:
            return f" {plain.casefold()} " in self._folded
        return not plain.islower() and f" {plain} " in self._as_written


def _plain(title: str) -> str:
    return _BLANKS.sub(" ", _QUALIFIED.sub("", title)).strip().casefold()


def _keep(gained: dict[ChunkKey, tuple[float, str]], key: ChunkKey, gain: float, why: str) -> None:
    if gain > gained.get(key, (0.0, ""))[0]:
        gained[key] = (gain, why)


def _raised(candidate: Candidate, gained: Mapping[ChunkKey, tuple[float, str]]) -> Candidate:
    gain = gained.get(candidate.key)
    return candidate if gain is None else candidate.scored(candidate.score + gain[0])
