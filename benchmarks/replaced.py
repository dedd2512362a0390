"""Our Markdown parser, tokenizer and ignore patterns compared with the libraries they replace, in processor time.

    python benchmarks/replaced.py FOLDER        # any Markdown; needs `pip install pathspec`

Each pair does the same work on the same input, in turns, in one process; the best of three counts. Decisions 11 to 13
have the figures.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt
from pathspec import GitIgnoreSpec

from octavo.embedding.bpe import IDS, BpeCounter
from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.sources.gitignore_patterns import parse

_ROUNDS = 3
_HOSTILE = ("*a*a*a*a*b", "*a*a*a*a*a*b", "*a*a*a*a*a*a*b", "*a*a*a*a*a*a*a*b")


def seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def compared(ours: Callable[[], object], theirs: Callable[[], object]) -> str:
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(_ROUNDS)]
    best, other = (min(times) for times in zip(*pairs, strict=True))
    return f"{best:.2f} s, {other:.2f} s: {other / best:.1f} times"


def markdown(texts: list[str]) -> str:
    ours, theirs = MarkdownParser(), MarkdownIt("commonmark").enable("table")
    sources = [Source(DocumentId(f"{at}"), f"{at}.md", text, modified_at=0.0) for at, text in enumerate(texts)]
    return compared(lambda: list(map(ours.parse, sources)), lambda: list(map(theirs.parse, texts)))


def tokens(texts: list[str]) -> str:
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
    from bpe_words import VOCABULARY, reference_tokenizer  # of the tests

    words, tokenizer = VOCABULARY.read_bytes(), reference_tokenizer()
    # A run of more than 512 characters is data: ours reads it in slices.
    paragraphs = [part for text in texts for part in text.split("\n\n") if max(map(len, part.split()), default=0) < 512]

    def ours() -> list[list[int]]:
        return [array(IDS, packed).tolist() for packed in BpeCounter(words).packed(paragraphs)]

    def theirs() -> list[list[int]]:
        return [tokenizer.encode(paragraph).ids for paragraph in paragraphs]

    assert ours() == theirs()
    return compared(ours, theirs)


def matched(pattern: str, letters: int) -> str:
    name = b"a" * letters
    ours = parse(pattern.encode())
    theirs = GitIgnoreSpec.from_lines([pattern])
    timed = (seconds(lambda: ours.match(name, name, False)), seconds(lambda: theirs.match_file(name.decode())))
    return f"{timed[0]:.6f} s, {timed[1]:.1f} s"


def said_of(pattern: str, path: str) -> tuple[bool, bool, bool]:
    """Whether git, we and pathspec take the path for ignored."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "--quiet", folder], check=True)
        Path(folder, ".gitignore").write_text(pattern + "\n", "utf-8")
        git = subprocess.run(["git", "-C", folder, "check-ignore", "--no-index", "--quiet", path]).returncode == 0
    ours = parse(pattern.encode()).match(path.encode(), path.rpartition("/")[2].encode(), False)
    return git, ours is not None, GitIgnoreSpec.from_lines([pattern]).match_file(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--letters", type=int, default=60, help="of the name that patterns are compared with")
    options = parser.parse_args()
    texts = [path.read_text("utf-8") for path in sorted(options.folder.rglob("*.md"))]
    print(f"{len(texts)} files, {sum(map(len, texts)) / 1e6:.1f} million characters; ours, theirs")
    print(f"Markdown, markdown-it-py: {markdown(texts)}")
    print(f"token counts, tokenizers: {tokens(texts)}")
    for pattern in _HOSTILE:
        print(f"`{pattern}` against {options.letters} letters, pathspec: {matched(pattern, options.letters)}")
    for pattern, path in (("a**/b", "ab"), ("a**/b", "a/b"), ("**a/b", "xa/b")):
        print(f"`{pattern}` ignores {path}: git, ours, pathspec: {said_of(pattern, path)}")


if __name__ == "__main__":
    main()
