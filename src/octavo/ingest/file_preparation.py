"""One file → everything it puts into a library. Touches no library, so it can run in any process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from octavo.algorithms.text.changed_words_of_diff import changed_words
from octavo.chunking.code_chunker import declared_names, is_code
from octavo.chunking.embedding_inputs import inputs, joined
from octavo.converting.archives import unused
from octavo.errors import OctavoError, SourceError
from octavo.fast_dataclass import replace
from octavo.graph.edge_extraction import linked
from octavo.ingest.document_from_conversion import converted_document, redacted_conversion, utf8
from octavo.ingest.document_search_fields import SHARED_CHARACTERS, shared_texts
from octavo.ingest.parsed_document_and_commit_redaction import redacted_commit, redacted_document
from octavo.ingest.prepared_file import Origin, PreparationFailure, PreparedFile, Unpacked
from octavo.model.chunk import Chunk, ContentType, EmbeddingInput
from octavo.model.converted_file import Member, RefusedFile
from octavo.model.document import Document, Kind, Source
from octavo.model.file_formats import SNIFFED
from octavo.model.folder_scan import SeenFile
from octavo.model.git_commit import Commit
from octavo.model.ids import SectionId, document_id
from octavo.model.indexing_ledger import FileStamp
from octavo.model.prepared_document import IndexedChunk, LexicalRow, PreparedDocument
from octavo.parsing.git_commit_parser import CommitParser, commit_document
from octavo.ports import Chunker, Converter, Embedder, Parser, TokenCounter
from octavo.sources.secret_redaction import described, find_keys, redacted, redacted_values
from octavo.sources.text_decoding import UnreadableFile, decode, first_bytes, read, read_bytes

_COMMITS = CommitParser()
_DIFF = ContentType.DIFF  # asked for once: Python 3.11 takes its time to find a member of an enumeration

MemberRules = Callable[[str, int], str | None]
"""A uri inside of a file, and its size → why it is left out: None if it is read, `IGNORED` if nobody need know."""

IGNORED = ""
DEEPEST = 4
"""Files inside of files that are opened: a mailbox, its message, an archive attached to that, an archive in there."""


class TextAnalyzer(Protocol):
    """What a preparer needs of `algorithms.analysis.Analyzer`."""

    def joined(self, text: str) -> str: ...

    def all_joined(self, texts: Sequence[str]) -> list[str]: ...

    def languages(self, passages: Sequence[str], text: str, *, texts: Sequence[str], code: bool) -> list[str]: ...

    def indexed(self, text: str, tokens: str, language: str) -> str: ...


class Preparer:
    """Reads, parses, chunks and analyses. Its parts are chosen by whoever wires it."""

    def __init__(
        self,
        parser_for: Callable[[str], Parser],
        chunker: Chunker,
        analyzer: TextAnalyzer,
        counter: TokenCounter,
        window: int,
        unwanted: Callable[[str, str], str | None] = lambda uri, text: None,
        fast: Embedder | None = None,
        converter: Converter | None = None,
        member_rules: MemberRules | None = None,
    ) -> None:
        self._parser_for = parser_for
        self._chunker = chunker
        self._analyzer = analyzer
        self._counter = counter
        self._window = window
        self._unwanted = unwanted
        self._fast = fast
        self._converter = converter
        self._member_rules = member_rules

    def close(self) -> None:
        """Ends the process that converts, if there is one; the next file that needs it starts another."""
        if self._converter is not None:
            self._converter.close()

    def files(self, origin: Origin, files: Sequence[SeenFile]) -> list[PreparedFile]:
        """Several at once, with their fast vectors if there is a table to make these by."""
        outcomes = [outcome for file in files for outcome in self.with_members(origin, file)]
        if self._fast is None:
            return outcomes
        try:
            return _embedded(outcomes, self._fast)
        except Exception:
            return outcomes  # whoever fills in vectors meets the same trouble, and says what it is

    def with_members(self, origin: Origin, file: SeenFile) -> Iterator[PreparedFile]:
        """The file, after all that is in it: once it is in the ledger, nothing of it is missing."""
        own, members = self._outcome(origin, file, None)
        uris: list[str] = []
        for member in self._members(origin, own.file, members, 1):
            uris.append(member.file.uri)
            yield member
        holds = self._converter is not None and self._converter.reads(file.uri)
        yield replace(own, members=tuple(uris)) if holds and not _is_passing(own) else own

    def _members(
        self, origin: Origin, container: SeenFile, members: Sequence[Member], depth: int
    ) -> Iterator[PreparedFile]:
        taken: set[str] = set()
        for member in members:
            uri = f"{container.uri}/{member.name}"
            verdict = self._member_rules(uri, len(member.data)) if self._member_rules is not None else None
            # What lies inside of a file is found by its uri alone, so that the name need not be the one it has.
            uri = uri if origin.allow_secrets else unused(redacted(uri)[0], taken)
            file = SeenFile(uri, container.location, container.stamp)
            if verdict == IGNORED:
                continue
            if verdict is not None:
                yield PreparedFile(file, PreparationFailure(verdict, refused=True), inside=True)
                continue
            outcome, inner = self._outcome(origin, file, member.data)
            if inner and depth >= DEEPEST:
                reason = f"it lies inside of {DEEPEST} other files, and is not opened"
                outcome, inner = PreparedFile(file, PreparationFailure(reason, refused=True)), ()
            yield from self._members(origin, file, inner, depth + 1)
            yield replace(outcome, inside=True)

    def file(self, origin: Origin, file: SeenFile) -> PreparedFile:
        """A file by itself, without what is in it."""
        return self._outcome(origin, file, None)[0]

    def _outcome(self, origin: Origin, file: SeenFile, data: bytes | None) -> tuple[PreparedFile, tuple[Member, ...]]:
        """Any failure becomes a reason: one bad file never stops a run. `data` is what it holds, where it lies in
        another file."""
        try:
            if self._converter is not None and self._converter.reads(file.uri):
                converted = self._converted(origin, file, data, self._converter)
                if converted is not None:
                    return converted
            decoded = read(file.location, origin.max_file_bytes) if data is None else decode(data)
            if isinstance(decoded, UnreadableFile):
                return PreparedFile(file, PreparationFailure(decoded.reason, refused=True)), ()
            other = "no conversation that is known" if origin.kind is Kind.CONVERSATION else None
            if reason := other or self._unwanted(file.uri, decoded.text):
                return PreparedFile(file, PreparationFailure(reason, refused=True)), ()
            file = _as_read(file, decoded.stamp)
            prepared = self.text(_source(origin, file, decoded.text), inputs=origin.inputs)
        except SourceError as error:
            return PreparedFile(file, PreparationFailure(error.message, passing=True)), ()
        except OctavoError as error:
            return PreparedFile(file, PreparationFailure(error.message)), ()
        except MemoryError:
            return PreparedFile(file, PreparationFailure("there was not enough memory to prepare it", passing=True)), ()
        except Exception as error:
            return PreparedFile(file, PreparationFailure(f"{type(error).__name__}: {error}")), ()
        if decoded.warnings:
            document = replace(prepared.document, warnings=(*decoded.warnings, *prepared.document.warnings))
            prepared = replace(prepared, document=document)
        return PreparedFile(file, prepared), ()

    def _converted(
        self, origin: Origin, file: SeenFile, data: bytes | None, converter: Converter
    ) -> tuple[PreparedFile, tuple[Member, ...]] | None:
        """The file converted, and what is in it; None if its content shows that it is the text its name says."""
        if not converter.claims(file.uri, first_bytes(file.location, SNIFFED) if data is None else data):
            return None
        if data is None:
            raw = read_bytes(file.location, origin.max_document_bytes)
            if isinstance(raw, UnreadableFile):
                return PreparedFile(file, PreparationFailure(raw.reason, refused=True)), ()
            data, status = raw
            file = _as_read(file, FileStamp(status.st_size, status.st_mtime_ns, status.st_ino))
        warnings: tuple[str, ...] = ()
        if not data:
            return PreparedFile(file, PreparationFailure("an empty file", refused=True)), ()
        if converter.is_text(file.uri):
            decoded = utf8(data)
            if isinstance(decoded, UnreadableFile):
                return PreparedFile(file, PreparationFailure(decoded.reason, refused=True)), ()
            data, warnings = decoded
        outcome = converter.convert(file.uri, data)
        if isinstance(outcome, RefusedFile):
            failure = PreparationFailure(outcome.reason, refused=not outcome.passing, passing=outcome.passing)
            return PreparedFile(file, failure), ()
        if not outcome.text.strip():
            return PreparedFile(file, Unpacked(outcome.warnings)), outcome.members
        source, redactions = redacted_source(_source(origin, file, outcome.text))
        if not source.allow_secrets:
            outcome, around = redacted_conversion(replace(outcome, text=source.text) if redactions else outcome)
            redactions = redactions or around
        document = converted_document(source, outcome)
        document = replace(document, warnings=(*redactions, *warnings, *document.warnings))
        return PreparedFile(file, self.document(document, inputs=origin.inputs)), outcome.members

    def text(self, source: Source, *, inputs: bool = True) -> PreparedDocument:
        """Keys and tokens in a text are redacted before anything else sees it."""
        source, warnings = redacted_source(source)
        parser = _COMMITS if source.kind is Kind.COMMIT else self._parser_for(source.uri)
        document = redacted_document(_told(parser.parse(source), source), source, self._parser_for)
        if warnings:
            document = replace(document, warnings=(*warnings, *document.warnings))
        return self.document(document, inputs=inputs)

    def commit(self, origin: Origin, commit: Commit, uri: str) -> PreparedDocument:
        id_ = document_id(origin.project, origin.collection, uri)
        document = commit_document(commit, id_, uri, origin.tags)
        secrets = () if origin.allow_secrets else find_keys(document.text)
        if secrets:
            hidden = commit_document(redacted_commit(commit), id_, uri, origin.tags)
            document = replace(hidden, warnings=described(document.text, secrets))
        # A commit whose diff is still to come is written again with it, and its edges then.
        return self.document(document, links=commit.diff is not None)

    def inputs(self, document: Document, chunk: Chunk) -> tuple[EmbeddingInput, ...]:
        return inputs(document, chunk, self._counter, self._window)

    def document(self, document: Document, *, links: bool = True, inputs: bool = True) -> PreparedDocument:
        cut = self._chunker.chunk(document)
        names = declared_names(document, cut) if is_code(document) else ()
        shared = shared_texts(document)
        if names:
            # Each chunk has the names it declares for aliases: all of a file's names in each would find the wrong one.
            shared["keywords"] = ""
        declarations = _declarations(cut) if names else {}
        # A diff is found by the words that changed. Its title finds the message, and its meaning is the message's.
        texts = [
            changed_words(chunk.text) if chunk.content_type is _DIFF else declarations.get(chunk.ordinal, chunk.text)
            for chunk in cut
        ]
        bodies = self._analyzer.all_joined(texts)
        fields, analysed = _Fields(self._analyzer), dict[str, tuple[str, ...]]()
        chunks, new = [], tuple.__new__
        formal = bool(names) or document.kind is Kind.COMMIT
        languages = self._analyzer.languages(bodies, document.text, texts=texts, code=formal)
        for number, (chunk, text, body, language) in enumerate(zip(cut, texts, bodies, languages, strict=True)):
            if chunk.content_type is _DIFF:
                chunks.append(IndexedChunk(chunk, LexicalRow("", "", "", "", "", "", body), ()))
                continue
            if names:
                shared["aliases"] = names[number][:SHARED_CHARACTERS]
            above = " ".join(chunk.heading_path)
            if (of_document := analysed.get(language)) is None or names:
                of_document = analysed[language] = tuple([fields[language, text] for text in shared.values()])
            title, keywords, description, tags, aliases = of_document
            if language:
                body = self._analyzer.indexed(text, body, language)
            # What the classes' own constructors give, in half of their time.
            row = new(LexicalRow, (title, fields[language, above], keywords, description, tags, aliases, body))
            chunks.append(new(IndexedChunk, (chunk, row, self.inputs(document, chunk) if inputs else ())))
        return PreparedDocument(document, tuple(chunks), linked(document) if links else None)


class _Fields(dict[tuple[str, str], str]):
    """Language and text → its tokens, with its forms in a language other than English; analysed once a document."""

    def __init__(self, analyzer: TextAnalyzer) -> None:
        super().__init__()
        self._analyzer = analyzer

    def __missing__(self, key: tuple[str, str]) -> str:
        language, text = key
        tokens = self._analyzer.joined(text) if text else ""
        self[key] = tokens = self._analyzer.indexed(text, tokens, language) if language and text else tokens
        return tokens


def _is_passing(outcome: PreparedFile) -> bool:
    """Whether nothing is known of a file's content: what was found in it before stays."""
    return isinstance(outcome.result, PreparationFailure) and not outcome.result.refused


def _as_read(file: SeenFile, stamp: FileStamp | None) -> SeenFile:
    """What was read is what the stamp must describe: the file may have changed since it was listed. The inode stays
    that of the listing, which on some systems has none to tell: the next listing must find it again."""
    stamp = stamp or file.stamp
    return SeenFile(file.uri, file.location, FileStamp(stamp.size, stamp.mtime_ns, file.stamp.inode))


def _source(origin: Origin, file: SeenFile, text: str) -> Source:
    return Source(
        id=document_id(origin.project, origin.collection, file.uri),
        uri=file.uri,
        text=text,
        modified_at=file.stamp.mtime_ns / 1e9,
        kind=origin.kind,
        tags=origin.tags,
        allow_secrets=origin.allow_secrets,
    )


def _embedded(outcomes: Sequence[PreparedFile], fast: Embedder) -> list[PreparedFile]:
    """The same outcomes, with the fast vector of every input."""
    texts = [
        joined(window.context, window.span.of(outcome.result.document.text))
        for outcome in outcomes
        if isinstance(outcome.result, PreparedDocument)
        for chunk in outcome.result.chunks
        for window in chunk.inputs
    ]
    rows = iter(fast.embed(texts).astype("<f2"))
    files = []
    for outcome in outcomes:
        if isinstance(outcome.result, PreparedDocument):
            chunks = tuple(
                [
                    IndexedChunk(
                        chunk.chunk,
                        chunk.lexical,
                        tuple([EmbeddingInput(*window[:-1], next(rows).tobytes()) for window in chunk.inputs]),
                    )
                    for chunk in outcome.result.chunks
                ]
            )
            outcome = replace(outcome, result=replace(outcome.result, chunks=chunks))
        files.append(outcome)
    return files


def redacted_source(source: Source) -> tuple[Source, tuple[str, ...]]:
    if source.allow_secrets:
        return source, ()
    text, secrets = redacted(source.text)
    title, in_title = redacted(source.title)
    metadata, in_metadata = redacted_values(source.metadata) if source.metadata else (source.metadata, ())
    elsewhere = in_title or in_metadata
    if not secrets and not elsewhere:
        return source, ()
    hidden = replace(source, text=text, title=title, metadata=metadata)
    return hidden, described(source.text, secrets) if secrets else described("", elsewhere)


def _told(document: Document, source: Source) -> Document:
    """The document with what is known of it from elsewhere than its text."""
    if not source.title and not source.metadata:
        return document
    return replace(document, title=source.title or document.title, metadata={**document.metadata, **source.metadata})


def _declarations(chunks: Sequence[Chunk]) -> dict[int, str]:
    """By the first chunk of each declaration that takes several, all of its text: found by words, it is one thing."""
    members: dict[SectionId, list[Chunk]] = {}
    for chunk in chunks:
        if len(chunk.heading_path) > 1:
            members.setdefault(chunk.section_id, []).append(chunk)
    return {
        several[0].ordinal: "\n".join(chunk.text for chunk in several)
        for several in members.values()
        if len(several) > 1
    }
