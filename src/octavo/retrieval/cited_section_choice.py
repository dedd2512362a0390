"""Chooses the section or declaration that a hit is cited by: the one with its best passage."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from octavo.algorithms.queries.code_query_parsing import read_code_query
from octavo.algorithms.queries.longest_word_root_matching import WordStarts
from octavo.algorithms.source_code.declaration_kind_detection import symbol_kind
from octavo.algorithms.source_code.import_or_comment_only_code import is_file_head, is_only_comments
from octavo.algorithms.text.unicode_folding import fold
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.chunk import PROSE_TYPES
from octavo.model.document import Kind, Section, shown_path
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.query import Query, Terms
from octavo.model.search_result import Candidate, Citation
from octavo.retrieval.search_data_sources import SearchedLibrary

_AS_RANKED = frozenset({"parent_expansion"})
"""Stages that have chosen what is read of a document."""
_WHOLE_DECLARATION = 6_000  # characters: of a longer one the fragment is shown
_COMMENTS = frozenset({"comment", "docstring"})
_SIGNATURE = 400  # characters of code below a comment that say what it is about
_ABOVE = 3_000  # characters from a signature down to a comment that belongs to it
_TITLE = 1.0  # what a word in a heading counts beside one in its text
_PROSE = frozenset(PROSE_TYPES)
_CODE_BLOCK = regex(r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:.*\n)*?[ \t]*\1[`~]*[ \t]*$", re.MULTILINE)
_LEAD = 300  # characters before a passage in which its first sentence may begin
_MARKER = 20  # characters of the sign that begins an item
_OPENING = regex(
    r"\n[ \t]*\n[ \t]*|\n(?=[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]|\d{1,3}[.)][ \t]|[#|]|```|~~~))"
    r"|[.!?][\"'”’)\]*_]*\s+(?=[^a-z\s])|[。！？][」』”’）]*"
)
"""After it a paragraph, an item, a row or a sentence begins."""
_BARE = regex(r"\s*(?:#{1,6}[^\n]*|[^\n]*\n[ \t]*(?:=+|-+)[ \t]*)\s*")


class SectionStretch(NamedTuple):
    """A stretch of a hit that belongs to one section and to none below it."""

    section: Section
    span: Span


def sections_at(library: SearchedLibrary, places: Sequence[tuple[DocumentId, Span]]) -> list[tuple[Section, ...]]:
    """The sections that touch each place, outer ones first."""
    known = library.remembered.state().sections
    if missing := [place for place in places if place not in known]:
        known.update(zip(missing, library.store.documents.sections_touching(library.project, missing), strict=True))
    return [known[place] for place in places]


def citations(
    candidates: Sequence[Candidate], texts: Mapping[str, str], query: Query, library: SearchedLibrary
) -> list[Citation]:
    """For each hit the section that holds all of it, or the best of several and the part of the hit that lies in it."""
    places = [(candidate.document_id, candidate.span) for candidate in candidates]
    return [
        _cited(candidate, texts[candidate.text_hash], query, sections)
        for candidate, sections in zip(candidates, sections_at(library, places), strict=True)
    ]


def _cited(candidate: Candidate, text: str, query: Query, sections: Sequence[Section]) -> Citation:
    parts = parts_of(sections, candidate.span)
    if not parts or candidate.kind is Kind.COMMIT:
        return Citation(candidate.uri, candidate.heading_path, candidate.span, candidate.lines)
    heading = query.filters.heading_contains
    if heading:
        parts = [part for part in parts if _plain(heading) in _plain(shown_path(part.section.path))] or parts
    kept = any(step.stage in _AS_RANKED for step in candidate.steps) and not heading
    chosen = None if kept else _best(parts, text, query, code=candidate.kind is Kind.CODE)
    if chosen is None and heading:
        chosen = parts[0]
    if chosen is None:
        citation = _whole(candidate, sections, parts, text, query)
    else:
        citation = _of_section(candidate, chosen.section, chosen.span, text, query)
    if candidate.content_type in _PROSE and not kept:
        citation = _from_sentence(citation, text)
    return _code_alone(citation, candidate, text, query)


def _from_sentence(citation: Citation, text: str) -> Citation:
    """A passage that was cut within a sentence, with the sentence's beginning. One that begins a line does so unless
    its first letter is a small one."""
    start, end = citation.span
    if text[start - 1 : start] in ("", "\n") and not text[start : start + 1].islower():
        return citation
    openings = (match.end() for match in _OPENING.finditer(text, max(0, start - _LEAD), start + _MARKER))
    opening = max((at for at in openings if at <= start), default=0 if start <= _LEAD else start)
    lines = Lines(citation.lines.first - text.count("\n", opening, start), citation.lines.last)
    return replace(citation, span=Span(opening, end), lines=lines)


def _code_alone(citation: Citation, candidate: Candidate, text: str, query: Query) -> Citation:
    """Of a note that was searched for code, the code block with most of the query's words, if a whole one is there."""
    types = query.filters.content_types
    if candidate.kind is Kind.CODE or not types or not _PROSE.isdisjoint(types):
        return citation
    blocks = [Span(*block.span()) for block in _CODE_BLOCK.finditer(text, *citation.span)]
    if not blocks:
        return citation
    pattern = _pattern(query, inside=True)
    counts = [len({*pattern.findall(block.of(text).lower())}) if pattern else 0 for block in blocks]
    span = blocks[counts.index(max(counts))]
    first = citation.lines.first + text.count("\n", citation.span.start, span.start)
    return replace(citation, span=span, lines=Lines(first, first + text.count("\n", *span)))


def _plain(heading: str) -> str:
    """Without case and accents, as a filter compares headings."""
    return heading.lower() if heading.isascii() else fold(heading).casefold()


def _whole(
    candidate: Candidate, sections: Sequence[Section], parts: Sequence[SectionStretch], text: str, query: Query
) -> Citation:
    """All of the hit, by the innermost section around it; the sections it covers are listed."""
    span = candidate.span
    around = [section for section in sections if section.span.start <= span.start and span.end <= section.span.end]
    titled = [part.section.path for part in parts if part.section.path]
    covered = tuple(dict.fromkeys(titled)) if len(parts) > 1 else ()
    if around:
        citation = _of_section(candidate, around[-1], span, text, query)
    else:
        citation = Citation(candidate.uri, (), span, candidate.lines)
    return Citation(
        citation.uri, citation.heading_path, citation.span, citation.lines, citation.anchor, covered, *_named(citation)
    )


def _named(citation: Citation) -> tuple[str | None, str | None]:
    return citation.symbol, citation.symbol_kind


def _of_section(candidate: Candidate, section: Section, span: Span, text: str, query: Query) -> Citation:
    symbol = kind = None
    if candidate.kind is Kind.CODE and section.level:
        names = section.path[1:]
        symbol = ".".join(names)
        kind = symbol_kind(section.span.of(text), names[-1] if names else "", nested=len(names) > 1)
        if query.declarations and section.span.length <= _WHOLE_DECLARATION:
            span = section.span
        elif candidate.content_type in _COMMENTS:
            span = _with_signature(span, section, text)
    span = _trimmed(span, text)
    first = candidate.lines.first + (
        text.count("\n", candidate.span.start, span.start)
        if span.start >= candidate.span.start
        else -text.count("\n", span.start, candidate.span.start)
    )
    lines = Lines(first, first + text.count("\n", span.start, span.end))
    return Citation(candidate.uri, section.path, span, lines, section.anchor, (), symbol, kind)


def _with_signature(span: Span, section: Section, text: str) -> Span:
    """A comment with the signature of its declaration: alone it names nothing that could be called.

    Where the comment stands below its signature, the hit begins with that.
    """
    if span.start > section.span.start:
        return Span(section.span.start, span.end) if span.start - section.span.start <= _ABOVE else span
    end = min(section.span.end, span.end + _SIGNATURE)
    line = text.rfind("\n", span.end, end)
    return Span(span.start, end if end == section.span.end or line < 0 else line)


def _trimmed(span: Span, text: str) -> Span:
    """Without blank lines around it."""
    passage = span.of(text)
    end = span.start + len(passage.rstrip())
    lead = len(passage) - len(passage.lstrip())
    start = text.rfind("\n", span.start, span.start + lead) + 1 or span.start
    return Span(max(span.start, start), end) if end > span.start else span


def parts_of(sections: Sequence[Section], span: Span) -> list[SectionStretch]:
    """The hit, divided at the borders of sections; each part with the innermost section around it."""
    borders = {span.start, span.end}
    for section in sections:
        borders.update(at for at in section.span if span.start < at < span.end)
    stretches: list[SectionStretch] = []
    ordered = sorted(borders)
    for start, end in pairwise(ordered):
        inner = [section for section in sections if section.span.start <= start and end <= section.span.end]
        if not inner:
            continue
        if stretches and stretches[-1].section is inner[-1] and stretches[-1].span.end == start:
            stretches[-1] = SectionStretch(inner[-1], Span(stretches[-1].span.start, end))
        else:
            stretches.append(SectionStretch(inner[-1], Span(start, end)))
    return stretches


def _best(parts: Sequence[SectionStretch], text: str, query: Query, *, code: bool) -> SectionStretch | None:
    """The part with most of the query's words, rare ones first, of "who calls it" not the one that declares it; None
    where no part has any, or all is one part."""
    if code and (read := read_code_query(query.text)).uses:
        used = read.names[0].parts[-1]
        parts = [part for part in parts if part.section.title != used and used in part.span.of(text)] or parts
    if len(parts) == 1:
        return parts[0]
    pattern = _pattern(query, inside=code)
    scores = _scores([_words_in(part, text, pattern) for part in parts])
    best = parts[scores.index(max(scores))] if max(scores) > 0.0 else None
    if code:
        declared = _declared(parts, scores, best, text)
        return declared and _with_first_member(parts, declared, text)
    if best is None or not _is_bare(best, text):
        return best
    # A heading without text of its own speaks for what stands below it.
    return SectionStretch(
        best.section, Span(best.span.start, max(part.span.end for part in _below(parts, best.section)))
    )


def best_stretch(stretches: Sequence[Span], text: str, query: Query) -> Span | None:
    """The stretch of a hit with most of the query's words, rare ones first; None where none has any."""
    pattern = _pattern(query, inside=False)
    if pattern is None or len(stretches) < 2:
        return None
    scores = _scores([dict.fromkeys(pattern.findall(stretch.of(text).lower()), 1.0) for stretch in stretches])
    return stretches[scores.index(max(scores))] if max(scores) > 0.0 else None


def _scores(counted: Sequence[Mapping[str, float]]) -> list[float]:
    """What each part has of the query's words; a word counts less the more parts have it."""
    spread = Counter(word for words in counted for word in words)
    return [sum(weight / spread[word] for word, weight in words.items()) for words in counted]


def _declared(
    parts: Sequence[SectionStretch], scores: Sequence[float], best: SectionStretch | None, text: str
) -> SectionStretch | None:
    """The best part of code. If that is only comments, or is the file's head while a declaration has a word of the
    query, the best declaration.

    One declaration is cited even where none has a word of the query: the longest, which is most of the chunk.
    """
    candidates = [
        (score, part.span.length, part) for score, part in zip(scores, parts, strict=True) if part.section.level
    ]
    score, _, declared = max(candidates, key=lambda each: each[:2], default=(0.0, 0, None))
    if best is None or best.section.level or declared is None:
        return best or declared
    outside = best.span.of(text)
    return declared if is_only_comments(outside) or (score > 0.0 and is_file_head(outside)) else best


def _with_first_member(parts: Sequence[SectionStretch], part: SectionStretch, text: str) -> SectionStretch:
    """Of a type or an implementation that opens right above its first member, that member too: its head says nothing
    alone."""
    inside = (below for below in _below(parts, part.section) if below.span.start == part.span.end)
    if part.span.of(text).rstrip().endswith(("{", ":")) and (member := next(inside, None)):
        return SectionStretch(part.section, Span(part.span.start, member.span.end))
    return part


def _below(parts: Sequence[SectionStretch], section: Section) -> Iterator[SectionStretch]:
    return (part for part in parts if section.span.start <= part.span.start and part.span.end <= section.span.end)


def _is_bare(part: SectionStretch, text: str) -> bool:
    return _BARE.fullmatch(part.span.of(text)) is not None


def _words_in(part: SectionStretch, text: str, words: re.Pattern[str] | WordStarts | None) -> dict[str, float]:
    if words is None:
        return {}
    weights = dict.fromkeys(words.findall(part.span.of(text).lower()), 1.0)
    for word in words.findall(part.section.title.lower()):
        weights[word] = weights.get(word, 0.0) + _TITLE
    return weights


def _pattern(query: Query, *, inside: bool) -> re.Pattern[str] | WordStarts | None:
    """The beginnings of the query's words; `inside` of identifiers as well."""
    return _compiled(query.terms, inside)


@lru_cache(64)
def _compiled(terms: Terms, inside: bool) -> re.Pattern[str] | WordStarts | None:
    tokens = {*terms.words, *terms.prefixes, *(token for run in (*terms.phrases, *terms.preferred) for token in run)}
    # A stem may end in an i where words have a y: `librari`, library.
    roots = frozenset(token[:-1] if len(token) > 3 and token.endswith("i") else token for token in tokens if token)
    if not roots:
        return None
    if not inside and all(map(str.isalnum, roots)):
        return WordStarts(roots)
    longest_first = sorted(map(re.escape, roots), key=lambda root: (-len(root), root))
    return re.compile(("" if inside else r"(?<![^\W_])") + f"(?:{'|'.join(longest_first)})")
