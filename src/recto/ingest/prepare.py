"""One file → everything it puts into a library. Touches no library, so it can run in any process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from recto.algorithms.diffs import changed_words
from recto.chunking.code import declared, is_code
from recto.chunking.inputs import inputs, joined
from recto.errors import RectoError, SourceError
from recto.graph.edges import linked
from recto.model.chunk import Chunk, ContentType, EmbeddingInput
from recto.model.commit import Commit
from recto.model.document import Document, Kind, Source
from recto.model.ids import CollectionId, ProjectId, document_id
from recto.model.index import IndexedChunk, LexicalRow, Prepared
from recto.model.ledger import FileStamp
from recto.parsing.commit import CommitParser, commit_document
from recto.ports import Chunker, Embedder, Parser, TokenCounter
from recto.sources.decode import Refused, read
from recto.sources.files import SeenFile

# Stored again with every chunk: without a bound, a page of nothing but tags would cost its size times its chunks.
_SHARED_CHARACTERS = 4_000

_COMMITS = CommitParser()
_DIFF = ContentType.DIFF  # asked for once: Python 3.11 takes its time to find a member of an enumeration


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that costs only itself, and why.

    `refused` is a decision (a binary file), not an accident. `passing` trouble is not the file's content's, so that
    the same file is tried again on the next run.
    """

    reason: str
    refused: bool = False
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file: prepared, or failed with a reason."""

    file: SeenFile
    result: Prepared | Failure


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a batch of files belongs, and what the collection says about all of them."""

    project: ProjectId
    collection: CollectionId
    kind: Kind | None
    tags: tuple[str, ...]
    max_file_bytes: int
    inputs: bool = True
    """Whether what is embedded is made with the rest; else whoever embeds makes it first."""


class Preparer:
    """Reads, parses, chunks and analyses. Its parts are chosen by whoever wires it."""

    def __init__(
        self,
        parser_for: Callable[[str], Parser],
        chunker: Chunker,
        joined: Callable[[str], str],
        counter: TokenCounter,
        window: int,
        unwanted: Callable[[str, str], str | None] = lambda uri, text: None,
        fast: Embedder | None = None,
    ) -> None:
        self._parser_for = parser_for
        self._chunker = chunker
        self._joined = joined
        self._counter = counter
        self._window = window
        self._unwanted = unwanted
        self._fast = fast

    def files(self, origin: Origin, files: Sequence[SeenFile]) -> list[Outcome]:
        """Several at once, with their fast vectors if there is a table to make these by."""
        outcomes = [self.file(origin, file) for file in files]
        if self._fast is None:
            return outcomes
        try:
            return _embedded(outcomes, self._fast)
        except Exception:
            return outcomes  # whoever fills in vectors meets the same trouble, and says what it is

    def file(self, origin: Origin, file: SeenFile) -> Outcome:
        """Any failure becomes a reason: one bad file never stops a run."""
        try:
            decoded = read(file.location, origin.max_file_bytes)
            if isinstance(decoded, Refused):
                return Outcome(file, Failure(decoded.reason, refused=True))
            if reason := self._unwanted(file.uri, decoded.text):
                return Outcome(file, Failure(reason, refused=True))
            # What was read is what the stamp must describe: the file may have changed since it was listed. The inode
            # stays that of the listing, which on some systems has none to tell: the next listing must find it again.
            stamp = decoded.stamp or file.stamp
            stamp = FileStamp(stamp.size, stamp.mtime_ns, file.stamp.inode)
            file = SeenFile(file.uri, file.location, stamp)
            source = Source(
                id=document_id(origin.project, origin.collection, file.uri),
                uri=file.uri,
                text=decoded.text,
                modified_at=file.stamp.mtime_ns / 1e9,
                kind=origin.kind,
                tags=origin.tags,
            )
            prepared = self.text(source, inputs=origin.inputs)
        except SourceError as error:
            return Outcome(file, Failure(error.message, passing=True))
        except RectoError as error:
            return Outcome(file, Failure(error.message))
        except MemoryError:
            return Outcome(file, Failure("there was not enough memory to prepare it", passing=True))
        except Exception as error:
            return Outcome(file, Failure(f"{type(error).__name__}: {error}"))
        if decoded.warnings:
            document = replace(prepared.document, warnings=(*decoded.warnings, *prepared.document.warnings))
            prepared = replace(prepared, document=document)
        return Outcome(file, prepared)

    def text(self, source: Source, *, inputs: bool = True) -> Prepared:
        parser = _COMMITS if source.kind is Kind.COMMIT else self._parser_for(source.uri)
        return self.document(_told(parser.parse(source), source), inputs=inputs)

    def commit(self, origin: Origin, commit: Commit, uri: str) -> Prepared:
        id_ = document_id(origin.project, origin.collection, uri)
        # A commit whose diff is still to come is written again with it, and its edges then.
        return self.document(commit_document(commit, id_, uri, origin.tags), links=commit.diff is not None)

    def inputs(self, document: Document, chunk: Chunk) -> tuple[EmbeddingInput, ...]:
        return inputs(document, chunk, self._counter, self._window)

    def document(self, document: Document, *, links: bool = True, inputs: bool = True) -> Prepared:
        joined = self._joined
        common = _common_fields(document, joined)
        headings: dict[tuple[str, ...], str] = {}
        chunks = []
        cut = self._chunker.chunk(document)
        names = declared(document, cut) if is_code(document) else ()
        if names:
            # Each chunk has the names it declares for aliases: all of a file's names in each would find the wrong one.
            common["keywords"] = ""
        title, keywords, description, tags, aliases = common.values()
        new = tuple.__new__
        for number, chunk in enumerate(cut):
            if names:
                aliases = joined(names[number][:_SHARED_CHARACTERS])
            if chunk.content_type is _DIFF:
                # Found by the words that changed. Its title finds the message, and its meaning is the message's.
                body = joined(changed_words(chunk.text))
                chunks.append(IndexedChunk(chunk, LexicalRow("", "", "", "", "", "", body), ()))
                continue
            path = chunk.heading_path
            above = headings.get(path)
            if above is None:
                above = headings[path] = joined(" ".join(path))
            # What the classes' own constructors give, in half of their time.
            row = new(LexicalRow, (title, above, keywords, description, tags, aliases, joined(chunk.text)))
            chunks.append(new(IndexedChunk, (chunk, row, self.inputs(document, chunk) if inputs else ())))
        return Prepared(document, tuple(chunks), linked(document) if links else None)


def _embedded(outcomes: Sequence[Outcome], fast: Embedder) -> list[Outcome]:
    """The same outcomes, with the fast vector of every input."""
    texts = [
        joined(one.context, one.span.of(outcome.result.document.text))
        for outcome in outcomes
        if isinstance(outcome.result, Prepared)
        for chunk in outcome.result.chunks
        for one in chunk.inputs
    ]
    rows = iter(fast.embed(texts).astype("<f2"))
    found = []
    for outcome in outcomes:
        if isinstance(outcome.result, Prepared):
            chunks = tuple(
                [
                    IndexedChunk(
                        chunk.chunk,
                        chunk.lexical,
                        tuple([EmbeddingInput(*one[:-1], next(rows).tobytes()) for one in chunk.inputs]),
                    )
                    for chunk in outcome.result.chunks
                ]
            )
            outcome = replace(outcome, result=replace(outcome.result, chunks=chunks))
        found.append(outcome)
    return found


def _told(document: Document, source: Source) -> Document:
    """The document with what is known of it from elsewhere than its text."""
    if not source.title and not source.metadata:
        return document
    return replace(document, title=source.title or document.title, metadata={**document.metadata, **source.metadata})


def _common_fields(document: Document, joined: Callable[[str], str]) -> dict[str, str]:
    """The fields every chunk of a document shares, analysed once."""
    fields = {
        "title": document.title,
        "keywords": " ".join(document.keywords),
        "description": document.description,
        "tags": " ".join(document.tags),
        "aliases": " ".join(document.aliases),
    }
    return {name: joined(text[:_SHARED_CHARACTERS]) if text else "" for name, text in fields.items()}
