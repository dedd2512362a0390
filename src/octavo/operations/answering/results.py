"""An answer as clients get it: sentences, what each of them cites, and the passages it was made from; as lines too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from octavo.engine.search.index_freshness import learning
from octavo.fast_dataclass import Value
from octavo.model.converted_file import Position, place
from octavo.model.document import Kind, shown_path
from octavo.model.search_result import Freshness, StageTrace
from octavo.operations.search.rendering import stage_lines
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, count, degraded_lines, duration


class SentenceCitation(Value):
    """Where a sentence stands, or what it was concluded from: exact lines and characters of one version of a document.

    `passage` is the number of the passage in this answer. `quote` is the text at that place.
    """

    passage: int
    collection: str
    uri: str
    version: int
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    quote: str
    page: int | None = None
    pages: tuple[int, ...] | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None
    url: str | None = None
    doi: str | None = None
    ocr: bool | None = None
    citation_key: str | None = None
    reference: str | None = None

    @property
    def position(self) -> Position:
        return Position(**{field.name: getattr(self, field.name) for field in fields(Position)})

    @property
    def place(self) -> str:
        return place(f"{self.collection}/{self.uri}", self.start_line, self.position)


class ModelVerdict(Value):
    """What the model with the role `judge` says of a sentence: supported, partly or unsupported."""

    model: str
    support: str


class AnswerSentence(Value):
    """One sentence. `support` says what its citations are worth: quoted, supported, partly or unsupported.

    `differences` are what the nearest place says otherwise, where it is not supported; `verdict` is a model's own.
    `inferred` is what the model says it has concluded. `attributed` is what the model cited nothing for, or the wrong
    passage, and for which the passage that says it was found. `above` is what a sentence of the library stands under:
    the item of a nested item, the line that announces a list, the head of a table.
    """

    text: str
    support: str
    score: float
    citations: tuple[SentenceCitation, ...] = ()
    inferred: bool = False
    attributed: bool = False
    differences: tuple[str, ...] | None = None
    verdict: ModelVerdict | None = None
    above: str | None = None

    @property
    def marked(self) -> str:
        """With the numbers of the passages it cites, and with what is wrong with it: `The dome closes. [1][3]`."""
        numbers = dict.fromkeys(cited.passage for cited in self.citations)
        marks = "".join(f"[{number}]" for number in numbers)
        doubt = {"partly": "partly supported", "unsupported": "unsupported"}.get(self.support, "")
        if doubt and self.differences:
            doubt += f": {'; '.join(self.differences)}"
        judged = f"{self.verdict.model} judges: {self.verdict.support}" if self.verdict else ""
        remarks = (f"({remark})" for remark in (doubt, judged) if remark)
        return " ".join(filter(None, ("Inferred:" if self.inferred else "", self.above, self.text, marks, *remarks)))


class ReadPassage(Value):
    """A passage that the answer was made from. Its text is left out where the answer would be too long with it."""

    number: int
    collection: str
    uri: str
    version: int
    kind: str
    title: str
    heading_path: tuple[str, ...]
    start_line: int
    end_line: int
    chunk_id: str
    score: float | None = None
    text: str | None = None
    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None

    @property
    def position(self) -> Position:
        return Position(page=self.page, slide=self.slide, sheet=self.sheet, time=self.time)

    @property
    def place(self) -> str:
        return place(f"{self.collection}/{self.uri}", self.start_line, self.position)


class SearchHop(Value):
    """One of the searches for a question: what was asked, what it found, how much of that was new, and why."""

    question: str
    found: int
    new: int
    because: str


class ModelUsage(Value):
    """What the model took: tokens as it counts them, or nearly, and their cost by its configured prices.

    `cached` of the `calls` were known already, from the library's cache: they took nothing.
    """

    model: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float
    calls: int
    cached: int


class AskAnswer(Value):
    """`mode` is extractive where no model wrote it: then its sentences are the library's own.

    `dropped` are sentences that the model wrote and no passage supports; `hops` are the searches, if several.
    `usage` is of the model that answers, `judging` of the one that judges.

    `answered` is false where the passages do not answer the question; `answer` says so. `context` is the prompt, where
    that was asked for. The question is repeated if it is short;
    `standalone` is what was searched for, where a conversation came before.
    """

    mode: str
    answered: bool
    answer: str
    sentences: tuple[AnswerSentence, ...]
    passages: tuple[ReadPassage, ...]
    took_ms: float
    freshness: Freshness
    question: str | None = None
    standalone: str | None = None
    hint: str | None = None
    context: str | None = None
    dropped: tuple[str, ...] | None = None
    hops: tuple[SearchHop, ...] | None = None
    usage: ModelUsage | None = None
    judging: ModelUsage | None = None
    trace: tuple[StageTrace, ...] | None = None
    degraded: tuple[str, ...] | None = None
    excluding: str | None = None

    def __str__(self) -> str:
        """The answer, and where each number in it leads."""
        return "\n".join((self.answer, *(f"[{cited.passage}] {cited.place}" for cited in self.cited)))

    @property
    def outcome(self) -> tuple[AnswerSentence | ReadPassage, ...]:
        """The sentences, or the passages of the prompt where that was asked for; empty where nothing answers."""
        return self.passages if self.context is not None else self.sentences

    @property
    def cited(self) -> tuple[SentenceCitation, ...]:
        """Every place that a sentence cites, once, by the numbers of the passages."""
        places = {(each.passage, each.start): each for sentence in self.sentences for each in sentence.citations}
        return tuple(each for _, each in sorted(places.items()))

    @property
    def uncited(self) -> tuple[ReadPassage, ...]:
        """What was read beside that."""
        numbers = {each.passage for each in self.cited}
        return tuple(passage for passage in self.passages if passage.number not in numbers)

    def __iter__(self) -> Iterator[AnswerSentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, place: int) -> AnswerSentence:
        return self.sentences[place]


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
        yield citation_line(together[0].citations[0])
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
    lines: list[Block] = [(), *map(citation_line, cited), ()] if cited else []
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


def citation_line(cited: SentenceCitation) -> Line:
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
