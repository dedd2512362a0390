"""Adds to the score of documents whose whole title the query says: "how do I collimate …" and `Collimation`."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted


@dataclass(frozen=True, slots=True)
class TitleWords:
    """A chunk gains `share` of the first candidate's height where every word of its document's title is a word that
    the query asks for; a title of one word only where the query has `few` or writes it as the title does, as a name.
    The best `among` candidates are looked at; a title that `rare` chunks say names nothing."""

    share: float = 0.2
    among: int = 100
    rare: int = 50
    few: int = 3
    name: str = "title_words"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        text, terms = search.library.text, search.query.terms
        # What is joined by operators is not a sentence, of which one word is the subject.
        words = text.subject(terms.text) if terms.condition is None else frozenset()
        if not candidates or not words:
            raise SkipStage("the query is no sentence" if candidates else "there are no candidates")
        looked_at = candidates[: self.among]
        titles = {title: text.tokens_among(title, words) for title in {candidate.title for candidate in looked_at}}
        said = {
            title
            for title, tokens in titles.items()
            if tokens
            if len(tokens) > 1 or len(words) <= self.few or title in terms.text
            if self._is_rare(search.library, tokens)
        }
        details: dict[ChunkKey, str] = {
            candidate.key: "the query says its title" for candidate in looked_at if candidate.title in said
        }
        if not details:
            raise SkipStage("the query says no title")
        search.notes["raised"] = len(details)
        gain = self.share * ((candidates[0].score - ground(candidates)) or 1.0)
        raised = [chunk.scored(chunk.score + gain) if chunk.key in details else chunk for chunk in candidates]
        return noted(in_order(raised), self.name, details)

    def _is_rare(self, library: SearchedLibrary, title: Sequence[str]) -> bool:
        return len(library.containing(title, self.rare)) < self.rare
