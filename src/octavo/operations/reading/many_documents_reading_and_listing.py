"""Several documents at once: read within one budget, or listed."""

from __future__ import annotations

from octavo.algorithms.queries.path_globs import glob_expression
from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import short
from octavo.model.stored_rows import StoredDocument
from octavo.operations import argument_types
from octavo.operations.answer_conversion import filled
from octavo.operations.library.filtered_documents_and_properties import documents_below, property_keys
from octavo.operations.reading.requests import DocTagsRequest, GetManyRequest, ListDocumentsRequest, RecentRequest
from octavo.operations.reading.results import (
    DocumentPassage,
    DocumentRow,
    DocumentTagsAnswer,
    GetManyAnswer,
    ListDocumentsAnswer,
    TaggedDocument,
    document_line,
    list_documents_lines,
)
from octavo.operations.styled_answer_lines import lines, written
from octavo.operations.token_counts_and_page_cursor import (
    BYTES_PER_TOKEN,
    cursor,
    data_size,
    offset_of,
    size,
    tokens,
    within,
)
from octavo.retrieval.reference_resolution import Passage, read_passage

_GLOB = regex(r"[*?\[]")
_NAMED = 50  # references that are told of as missing or left out


def get_many(engine: Engine, request: GetManyRequest) -> GetManyAnswer:
    """In the order asked for. Each passage may take an equal share of what those before it have left."""
    if request.collection:
        engine.collection(request.collection)
    with engine.store.reading():
        passages, missing = _passages(engine, request)
    room = request.token_budget * BYTES_PER_TOKEN
    shown: list[DocumentPassage] = []
    left_out: list[str] = []
    # The shortest first: what they do not need is there for the others.
    texts: dict[int, str] = {}
    for number, at in enumerate(sorted(range(len(passages)), key=lambda at: (size(passages[at].text), at))):
        texts[at] = _cut(passages[at].text, room // (len(passages) - number))
        room -= size(texts[at])
    for at, passage in enumerate(passages):
        if texts[at] or not passage.text:
            shown.append(_read(passage, texts[at]))
        else:
            left_out.append(f"{passage.document.collection}/{passage.document.uri}")
    used = sum(tokens(passage.text) for passage in shown)
    return GetManyAnswer(tuple(shown), used, tuple(missing[:_NAMED]) or None, tuple(left_out[:_NAMED]) or None)


def _passages(engine: Engine, request: GetManyRequest) -> tuple[list[Passage], list[str]]:
    by_place: dict[tuple[str, int, int], Passage] = {}
    missing: list[str] = []
    every: tuple[StoredDocument, ...] | None = None
    for reference in request.references:
        try:
            passages = [read_passage(engine, reference, request.collection)]
        except NotFound:
            passages = []
        if not passages and _GLOB.search(reference):
            if every is None:
                chosen = (request.collection,) if request.collection else ()
                every = documents_below(engine, ListDocumentsRequest(collections=chosen, where=request.where))
            pattern = glob_expression(reference)
            passages = [
                read_passage(engine, document.id)
                for document in every
                if pattern.fullmatch(document.uri) or pattern.fullmatch(f"{document.collection}/{document.uri}")
            ]
        if not passages:
            missing.append(reference)
        for passage in passages:
            by_place.setdefault((passage.document.id, *passage.span), passage)
    return list(by_place.values()), missing


def _cut(text: str, room: int) -> str:
    """Whole lines; of a single line that is too long, its beginning."""
    if size(text) <= room:
        return text
    kept = text.encode("utf-8", "surrogatepass")[: max(0, room)].decode("utf-8", "ignore")
    return kept[: kept.rfind("\n") + 1] or kept


def _read(passage: Passage, text: str) -> DocumentPassage:
    document, first = passage.document, passage.lines.first
    return filled(
        DocumentPassage,
        document,
        title=short(document.title),
        document_id=document.id,
        heading_path=tuple(short(title) for title in passage.heading_path),
        start_line=first,
        end_line=first + text.removesuffix("\n").count("\n"),
        text=text,
        truncated=len(text) < len(passage.text),
    )


def list_documents(engine: Engine, request: ListDocumentsRequest) -> ListDocumentsAnswer:
    documents = documents_below(engine, request)
    if request.keys:
        return ListDocumentsAnswer(len(documents), keys=property_keys(documents))
    question = replace(request, cursor=None, max_tokens=argument_types.DEFAULT_TOKENS)
    names = [document.id for document in documents]
    offset = offset_of(request.cursor, question, names=names)
    last = max(names, key=len, default="")
    empty = ListDocumentsAnswer(len(documents), documents=(), next_cursor=cursor(len(documents), question, last=last))
    used = max(data_size(empty), size(written(list_documents_lines(empty))))
    rows = (_row(document) for document in documents[offset:])
    shown = tuple(within(rows, request.max_tokens * BYTES_PER_TOKEN - used, _size))
    reached = offset + len(shown)
    more = cursor(reached, question, last=names[reached - 1]) if reached < len(names) else None
    return replace(empty, documents=shown, next_cursor=more)


def recent(engine: Engine, request: RecentRequest) -> ListDocumentsAnswer:
    """The documents whose files were changed last, the newest first."""
    rows = tuple(map(_row, engine.store.documents.recent(engine.project.id, request.limit)))
    return ListDocumentsAnswer(len(rows), rows)


def _row(document: StoredDocument) -> DocumentRow:
    return filled(DocumentRow, document, title=short(document.title), document_id=document.id)


def _size(row: DocumentRow) -> int:
    return max(data_size(row), size("".join(lines([document_line(row)])))) + 1


def doc_tags(engine: Engine, request: DocTagsRequest) -> DocumentTagsAnswer:
    nodes = engine.store.graph.nodes(engine.project.id, [DocumentId(name) for name in request.document_ids])
    return DocumentTagsAnswer(tuple(TaggedDocument(node.document, node.tags) for node in nodes if node.tags))
