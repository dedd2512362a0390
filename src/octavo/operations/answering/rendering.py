"""An answer as lines: its sentences with their marks, then what they cite."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.engine.search.index_freshness import learning
from octavo.model.document import Kind, shown_path
from octavo.operations.answering.results import AnswerSentence, AskAnswer, SentenceCitation
from octavo.operations.search.rendering import stage_lines
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, count, degraded_lines, duration

_INDENT = "    "
EXTRACTIVE = "extractive"
_STYLES = {"partly": "warn", "unsupported": "bad"}
_CODE = frozenset({Kind.CODE.value, Kind.CONFIG.value})


def ask_lines(answer: AskAnswer) -> Iterator[Block]:
    if answer.context is not None:
        yield Quote(answer.context, whole=True)
        return
    yield from _extracts(answer) if answer.mode == EXTRACTIVE else _written(answer)
    yield from below_sentences(answer)


def _extracts(answer: AskAnswer) -> Iterator[Block]:
    """Sentences of the library: those of a section together, as the quotations that they are."""
    kinds = {passage.number: passage.kind for passage in answer.passages}
    sections: dict[tuple[int, tuple[str, ...]], list[AnswerSentence]] = {}
    for sentence in answer.sentences:
        cited = sentence.citations[0]
        sections.setdefault((cited.passage, cited.heading_path), []).append(sentence)
    for together in sections.values():
        line = together[0].citations[0].start_line
        yield place(together[0].citations[0])
        for sentence in together:
            cited = sentence.citations[0]
            if cited.start_line != line:
                yield (_below(cited),)
            line = cited.start_line
            if sentence.above and sentence.above not in cited.heading_path[-1:]:
                yield Quote(sentence.above, numbered=False, uncut=True)
            yield Quote(cited.quote, cited.start_line, uncut=True, verbatim=kinds.get(cited.passage) in _CODE)
        yield ()
    if not answer.sentences:
        yield (Part(answer.answer or "The passages found have no sentence to show."),)


def _written(answer: AskAnswer) -> Iterator[Block]:
    """What a model wrote, a sentence a line, each with what it is worth."""
    yield from map(sentence_line, answer.sentences)
    if not answer.sentences:
        yield (Part(answer.answer),)


def sentence_line(sentence: AnswerSentence) -> Line:
    return (Part(sentence.marked, _STYLES.get(sentence.support, "")),)


def below_sentences(answer: AskAnswer) -> list[Block]:
    """The places that the sentences of a model cite, how they were found, and what was left out."""
    cited = answer.cited if answer.mode != EXTRACTIVE else ()
    lines: list[Block] = [(), *map(place, cited), ()] if cited else []
    for number, hop in enumerate((answer.hops or ())[1:], 2):
        lines.append((Part(f"search {number}: {hop.question} ({count(hop.new, 'new passage')})", "dim"),))
    if answer.dropped:
        which = "it" if len(answer.dropped) == 1 else "them"
        lines.append((Part(f"{count(len(answer.dropped), 'sentence')} left out: no passage supports {which}", "dim"),))
    if answer.trace is not None:
        lines += [*stage_lines(answer.trace), ()]
    lines += degraded_lines(answer.degraded, answer.excluding)
    lines.append((Part(_footer(answer), "dim"),))
    if answer.hint:
        lines.append((Part(f"hint: {answer.hint}", "dim"),))
    return lines


def _below(cited: SentenceCitation) -> Part:
    """Where a further sentence of the same section stands."""
    where = f"{cited.collection}/{cited.uri}"
    return Part(f"{_INDENT}{cited.position.anchor if cited.position.shown else f':{cited.start_line}'}", "place", where)


def place(cited: SentenceCitation) -> Line:
    """`[1] notes/a.md:12  Title → Heading`, or by the page where there is one."""
    where = f"{cited.collection}/{cited.uri}"
    position = cited.position
    path = shown_path(cited.heading_path)
    key = f"@{cited.citation_key}" if cited.citation_key else ""
    return (
        Part(f"[{cited.passage}] ", "dim"),
        Part(cited.place, "place", where),
        Part(f"-{cited.end_line} (version {cited.version}, characters {cited.start}-{cited.end})", DETAIL),
        *(Part(f"  {label}", "dim") for label in (position.shown, position.address, key) if label),
        *((Part(f"  {path}", "heading"),) if path else ()),
    )


def _footer(answer: AskAnswer) -> str:
    sentences, passages = count(len(answer.sentences), "sentence"), count(len(answer.passages), "passage")
    parts = [f"{sentences} from {passages} in {duration(answer.took_ms / 1e3)}", answer.mode]
    if answer.usage:
        parts += [answer.usage.model, f"{answer.usage.prompt_tokens + answer.usage.completion_tokens:,} tokens"]
        if answer.usage.cached:
            parts.append(f"{answer.usage.cached} of {count(answer.usage.calls, 'call')} known already")
    if message := learning(answer.freshness):
        parts.append(message)
    return " · ".join(parts)
