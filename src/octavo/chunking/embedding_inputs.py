"""Embedding inputs of a chunk: title and heading path, then the text, in several windows if it is too long."""

from __future__ import annotations

from octavo.chunking.indivisible_pieces import by_lines
from octavo.model.chunk import Chunk, EmbeddingInput
from octavo.model.document import HEADING_SEPARATOR, BlockKind, Document, Kind
from octavo.model.ids import text_hash
from octavo.model.index_recipe import SPECIAL_TOKENS, context_reserve
from octavo.model.normalised_text_and_spans import Span
from octavo.ports import TokenCounter

_OWN_NAME = 400  # characters of a chunk searched for the name it declares


def context_line(title: str, heading_path: tuple[str, ...], signature: str = "") -> str:
    """Title, heading path and signature as one line; a title that starts the path is not repeated."""
    return HEADING_SEPARATOR.join(_context_titles(title, heading_path, signature))


def _context_titles(title: str, heading_path: tuple[str, ...], signature: str) -> list[str]:
    titles = heading_path if heading_path and heading_path[0] == title else (title, *heading_path)
    return [title for title in (*titles, signature) if title]


def _context_of(document: Document, chunk: Chunk) -> list[str]:
    """Context that the chunk's text lacks. A declaration contains its own name; a lone file's name is arbitrary."""
    if document.kind is not Kind.CODE or document.language is None or "rendered_from" in document.metadata:
        # The signature of a chunk of prose is the language of its code, which the fence already contains.
        signature = chunk.signature if document.kind is Kind.CONFIG else ""
        return _context_titles(document.title, chunk.heading_path, signature)
    module, *symbols = chunk.heading_path or (document.title,)
    if symbols and symbols[-1] in chunk.text[:_OWN_NAME]:
        symbols.pop()
    around = [module] if "/" in document.uri else []
    return [title for title in (*around, *symbols, chunk.signature) if title]


def joined(context: str, slice_: str) -> str:
    return f"{context}\n{slice_}" if context else slice_


def inputs(document: Document, chunk: Chunk, counter: TokenCounter, window: int) -> tuple[EmbeddingInput, ...]:
    """One input for a chunk that fits the window with its context, else one per window.

    A context that is too long is shortened first: to the tokens the chunk leaves in the window if that is at least the
    reserve the chunk sizes count on, else to a quarter of the window.
    """
    usable = max(1, window - SPECIAL_TOKENS)
    titles = _context_of(document, chunk)
    context = HEADING_SEPARATOR.join(titles)
    tokens = counter.count(context) if context else 0
    left = usable - chunk.tokens
    if tokens > left:
        if left < context_reserve(window):
            left = window // 4
        if tokens > left:
            context = _shortened(titles, left, counter)
            tokens = counter.count(context)
    if tokens + chunk.tokens <= usable:
        return (_input(0, chunk.span.start, context, chunk.text),)
    windows: list[EmbeddingInput] = []
    text, start = chunk.text, chunk.span.start
    for piece in by_lines(text, 0, len(text), max(1, usable - tokens), counter, BlockKind.PARAGRAPH):
        slice_ = text[piece.start : piece.end].rstrip()
        if slice_:
            windows.append(_input(len(windows), start + piece.start, context, slice_))
    return tuple(windows)


def _input(number: int, start: int, context: str, slice_: str) -> EmbeddingInput:
    return EmbeddingInput(number, Span(start, start + len(slice_)), text_hash(joined(context, slice_)), context)


def _shortened(titles: list[str], limit: int, counter: TokenCounter) -> str:
    """The context within a token limit: outer headings are dropped first, then words at the end."""
    remaining = list(titles)
    context = HEADING_SEPARATOR.join(remaining)
    while len(remaining) > 2 and counter.count(context) > limit:
        del remaining[1]
        context = HEADING_SEPARATOR.join(remaining)
    end = tokens = 0
    for word_end, word_tokens in counter.words(context):
        if tokens + word_tokens > limit:
            break
        end, tokens = word_end, tokens + word_tokens
    return context[:end]
