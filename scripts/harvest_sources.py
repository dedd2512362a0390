"""Harvests the pairs that the shipped weights are trained on, from git snapshots of public repositories.

    python scripts/harvest_sources.py MIRRORS OUT [--exclude FOLDER] [--sources FILE]

MIRRORS holds a git directory for each repository of `sources.toml` beside this script (or of FILE), named
`owner+name/repo`. OUT gets pairs.jsonl.xz, passages.jsonl.xz and sources.json with each repository's commit and
counts. FOLDER holds data sets in BEIR layout: what shares a long run of words with one of their texts is left out, and
counted.
The pairs are those that `octavo models finetune` takes from a library: both call
`octavo_train.training_pairs_from_document`.
`octavo_train.training_pairs_from_document`.
"""

from __future__ import annotations

import argparse
import gzip
import html
import json
import lzma
import random
import re
import subprocess
import sys
import tomllib
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from conversations import pairs_of_talk, talks_in_csv, talks_in_json

from octavo.model.document import Kind, Source
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.git_commit_parser import CommitParser
from octavo.parsing.registry import parser_for
from octavo_train.training_pairs_from_document import Material, TrainingPair, TrainingSection, pairs_of, passages_of
from octavo_train.training_pairs_from_library import material_of

PROSE = (".md", ".mdx", ".rst", ".adoc", ".txt", ".cnxml", ".xhtml")
CODE = (".py", ".go", ".java", ".js", ".ts", ".rs", ".rb", ".c", ".h", ".cpp", ".cs", ".php", ".kt", ".scala")
SKIPPED = re.compile(
    r"(^|/)(tests?|testing|testdata|fixtures|vendor|third_party|node_modules|_vendor|deps|dist|build|locale|"
    r"translations?|changelogs?|release[-_]?notes?|whats_?new)(/|$)|whats_?new|(^|/)(test_|conftest)|[._]test\.|"
    r"(^|/)(licen[sc]e|changelog|changes|news|authors|contributors)\b",
    re.IGNORECASE,
)
FORBIDDEN = re.compile(
    r"\b(django|ray\.io|ray-project|import ray|ray\.(init|remote|tune|data)|ray (tune|serve|train|data|core|cluster)|"
    r"anthropic|obsidian)\b",
    re.IGNORECASE,
)
NAMED = re.compile(r"\bRay\b")  # in lower case it is light, or a hand that is raised
TAG = re.compile(r"<[^>]+>")
RUN = 9  # words in a row that mark a text as the same


def git(repository: Path, *arguments: str) -> bytes:
    """What git prints, up to where a snapshot's history ends."""
    return subprocess.run(["git", "-C", str(repository), *arguments], check=False, capture_output=True).stdout


def blobs(repository: Path, commit: str, names: list[str]) -> Iterator[tuple[str, bytes]]:
    process = subprocess.Popen(
        ["git", "-C", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin and process.stdout
    for name in names:
        process.stdin.write(f"{commit}:{name}\n".encode())
        process.stdin.flush()
        head = process.stdout.readline().split()
        if head[-1] == b"missing":
            continue
        data = process.stdout.read(int(head[2]))
        process.stdout.read(1)
        yield name, data
    process.stdin.close()
    process.wait()


def chosen(names: Iterable[str], patterns: list[str], suffixes: tuple[str, ...], most: int, seed: str) -> list[str]:
    wanted = [re.compile(one) for one in patterns]
    found = [
        name
        for name in names
        if name.lower().endswith(suffixes)
        and not SKIPPED.search(name)
        and (not wanted or any(one.search(name) for one in wanted))
    ]
    if len(found) > most:
        found = sorted(random.Random(seed).sample(found, most))
    return found


def from_rst(text: str) -> str:
    """Underlined titles as Markdown headings, directives without their marks: enough to cut it into sections."""
    lines, order, out = text.split("\n"), [], []
    place = 0
    while place < len(lines):
        line = lines[place]
        under = lines[place + 1] if place + 1 < len(lines) else ""
        if (
            line.strip()
            and re.fullmatch(r"([=\-~^\"'*+#`.:_])\1{2,}\s*", under)
            and len(under.strip()) >= len(line.rstrip()) - 1
        ):
            mark = under[0]
            if mark not in order:
                order.append(mark)
            out.append("#" * min(6, order.index(mark) + 1) + " " + line.strip())
            place += 2
            continue
        if not re.fullmatch(r"([=\-~^\"'*+#`])\1{2,}\s*", line) and not re.match(r"\s*\.\. (_|\|)", line):
            out.append(
                re.sub(r":[\w:+-]+:`~?([^`<]*?)(?:\s*<[^>]*>)?`", r"\1", re.sub(r"^\s*\.\. [\w:-]+::\s*", "", line))
            )
        place += 1
    return "\n".join(out)


ADOC_MARKS = re.compile(
    r"^(:[\w-]+:.*|\[[^\]\n]*\]|ifn?def::.*|endif::.*|include::.*|\.{4,}|={4,}|\*{4,})$", re.MULTILINE
)
ADOC_LINK = re.compile(r"(?:xref|link):[^\[\s]*\[([^\]]*)\]|<<[^,>]*,([^>]*)>>")


def from_adoc(text: str) -> str:
    """Titles as Markdown headings, without attributes, anchors and the marks of blocks."""
    text = re.sub(r"^-{4,}$", "```", ADOC_MARKS.sub("", text), flags=re.M)
    text = ADOC_LINK.sub(lambda found: found[1] or found[2] or "", text)
    return re.sub(r"^(={1,6}) (?=\S)", lambda found: "#" * len(found[1]) + " ", text, flags=re.M)


def from_xml(text: str) -> str:
    """Textbook modules (CNXML), articles (JATS) and books (XHTML) as Markdown."""
    text = re.sub(
        r"<(metadata|figure|table|m:math|mml:math|math|ref-list|back|xref|media|exercise|glossary|fn)\b.*?</\1>",
        " ",
        text,
        flags=re.S,
    )
    text = re.sub(r"\s+", " ", text)
    title = re.search(r"<(?:article-)?title[^>]*>(.*?)</", text)
    text = re.sub(r"<section[^>]*>\s*<title[^>]*>(.*?)</title>", r"\n\n## \1\n\n", text)
    text = re.sub(r"<h[1-6][^>]*>(.*?)</h[1-6]>", r"\n\n## \1\n\n", text)
    text = re.sub(r"<sec\b[^>]*>\s*(?:<label>.*?</label>)?\s*<title>(.*?)</title>", r"\n\n## \1\n\n", text)
    text = re.sub(r"</?(p|para|item|list|note|div|section|li|ul|blockquote)\b[^>]*>", "\n\n", text)
    body = html.unescape(TAG.sub("", text))
    body = "\n".join(line.strip() for line in body.split("\n"))
    body = re.sub(r"\n{3,}", "\n\n", body)
    return (f"# {html.unescape(TAG.sub('', title[1]))}\n\n" if title else "") + body


def from_dialogues(text: str) -> Iterator[list[str]]:
    """Recorded conversations: each as stretches of three turns of who said what."""
    for one in json.loads(text):
        turns = one.get("utterances") or one.get("turns") or []
        said = [f"{turn.get('speaker', '')}: {turn.get('text') or turn.get('utterance')}" for turn in turns]
        if len(said) >= 6:
            yield ["\n".join(said[place : place + 3]) for place in range(0, len(said), 3)]


def documents(repository: Path, entry: dict[str, Any]) -> Iterator[Material]:
    group, commit = entry["repository"], entry["commit"]
    names = git(repository, "ls-tree", "-r", "--name-only", commit).decode("utf-8", "replace").split("\n")
    picked: list[str] = []
    if prose := entry.get("prose"):
        picked += chosen(names, prose, (*PROSE, ".xml"), entry.get("files", 500), group)
    if code := entry.get("code"):
        picked += chosen(names, code, CODE, entry.get("code_files", 400), group)
    for name, data in blobs(repository, commit, picked):
        if len(data) > 600_000:
            continue
        text = normalise(data.decode("utf-8", "replace"))
        uri = name
        if name.endswith(".rst") or (name.endswith(".txt") and prose and "docs" in name):
            text, uri = from_rst(text), name[:-4] + ".md"
        elif name.endswith(".adoc"):
            text, uri = from_adoc(text), name[:-5] + ".md"
        elif name.endswith((".cnxml", ".xml", ".xhtml")):
            text, uri = normalise(from_xml(text)), re.sub(r"\.\w+$", ".md", name)
        parser = parser_for(uri)
        if parser is not None:
            try:
                document = parser.parse(Source(DocumentId(f"{group}:{uri}"), uri, text, 0.0))
            except Exception as error:
                print(f"{group} {name}: {error}", file=sys.stderr)
                continue
            yield material_of(document, f"{group}:{uri}")
    talks = chosen(names, entry.get("dialogues", ["^$"]), (".json",), 40, group)
    for name, data in blobs(repository, commit, talks):
        for number, said in enumerate(from_dialogues(data.decode())):
            if number % entry.get("every", 8) == 0:
                yield Material(
                    f"{group}:{name}:{number}", Kind.NOTE, "", tuple(TrainingSection((), one) for one in said)
                )
    if entry.get("commits"):
        yield from commits(repository, commit, group, entry["commits"])


def commits(repository: Path, commit: str, group: str, most: int) -> Iterator[Material]:
    """The newest commits that tell something, each as Octavo indexes it."""
    asked = ["--no-merges", f"--max-count={most * 3}", "--format=%x01%H%x02%B%x02", "--name-only", commit]
    raw = git(repository, "log", *asked)
    parser, kept = CommitParser(), 0
    for record in raw.decode("utf-8", "replace").split("\x01")[1:]:
        hash_, message, files = (*record.split("\x02"), "", "")[:3]
        changed = [name for name in files.strip().split("\n") if name]
        subject, _, body = message.strip().partition("\n\n")
        if len(body) < 60 and zlib.crc32(hash_.encode()) % 4:
            continue
        text = f"{body.strip()}\n\nChanged files:\n" + "\n".join(changed[:40]) + "\n"
        uri = f".git/commits/{hash_}"
        source = Source(DocumentId(uri), uri, normalise(text), 0.0, title=" ".join(subject.split())[:300])
        yield material_of(parser.parse(source), f"{group}@{hash_[:12]}")
        kept += 1
        if kept >= most:
            return


def talked(repository: Path, entry: dict[str, Any]) -> Iterator[TrainingPair]:
    """What the conversations of a repository teach, those of each file that are asked for."""
    group, commit = entry["repository"], entry["commit"]
    wanted = [re.compile(one) for one in entry.get("talks", [])]
    if not wanted:
        return
    names = git(repository, "ls-tree", "-r", "--name-only", commit).decode("utf-8", "replace").split("\n")
    for name, data in blobs(repository, commit, [name for name in names if any(one.search(name) for one in wanted)]):
        found = talks_in_csv(data.decode()) if name.endswith(".csv") else talks_in_json(data.decode())
        for number, talk in enumerate(found):
            if number % entry.get("every", 1) == 0:
                yield from pairs_of_talk(talk, f"{group}:{name}:{number}")


def runs(text: str) -> Iterator[int]:
    words = re.findall(r"\w+", text.casefold())
    for place in range(max(0, len(words) - RUN + 1)):
        yield zlib.crc32(" ".join(words[place : place + RUN]).encode())


def held_out(folder: Path | None) -> set[int]:
    """Runs of words of every text of every data set in a folder, every third of them."""
    found: set[int] = set()
    for path in sorted(folder.rglob("*.jsonl.gz")) if folder else []:
        if path.name.startswith(("corpus", "queries")):
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for line in lines:
                    row = json.loads(line)
                    found.update(list(runs(f"{row.get('title', '')} {row['text']}"))[::3])
    return found


def forbidden(text: str) -> bool:
    return bool(FORBIDDEN.search(text) or NAMED.search(text))


def shared_with(text: str, known: set[int]) -> int:
    return sum(1 for one in runs(text) if one in known)


def main() -> int:
    parser = argparse.ArgumentParser(description="Harvest training pairs from git snapshots.")
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--exclude", type=Path, help="data sets whose texts must not be trained on")
    parser.add_argument("--only", help="one repository, to look at what it gives")
    parser.add_argument("--part", default="0/1", help="1/2 takes every second repository, from the second")
    parser.add_argument("--sources", type=Path, default=Path(__file__).parent / "sources.toml")
    arguments = parser.parse_args()
    sources = tomllib.loads(arguments.sources.read_text())["source"]
    arguments.out.mkdir(parents=True, exist_ok=True)
    known = held_out(arguments.exclude)
    table, everything, passages = [], [], []
    seen: set[int] = set()
    part, parts = map(int, arguments.part.split("/"))
    for entry in sources[part::parts]:
        if arguments.only and arguments.only != entry["repository"]:
            continue
        repository = arguments.mirrors / entry["repository"].replace("/", "+") / "repo"
        limits: dict[str, int] = entry.get("most", {})
        pairs: list[TrainingPair] = []
        said: list[str] = []
        left_out = 0
        found: list[TrainingPair] = []
        for material in documents(repository, entry):
            found += pairs_of(material)
            if entry.get("passages"):
                said += [one for one in passages_of(material) if not forbidden(one)]
        for pair in (*found, *talked(repository, entry)):
            key = zlib.crc32(f"{pair.query}\0{pair.positive}".encode("utf-8", "replace"))
            if key in seen or forbidden(pair.query) or forbidden(pair.positive):
                continue
            seen.add(key)
            if known and shared_with(f"{pair.query} {pair.positive}", known) >= 2:
                left_out += 1
                continue
            pairs.append(pair)
        dice = random.Random(entry["repository"])
        kept: list[TrainingPair] = []
        by_kind: dict[str, list[TrainingPair]] = {}
        for pair in pairs:
            by_kind.setdefault(pair.kind.value, []).append(pair)
        for kind in sorted(by_kind):
            most = limits.get(kind, entry.get("each", 1500))
            held = by_kind[kind]
            kept += held if len(held) <= most else dice.sample(held, most)
        said = [one for one in said if not known or shared_with(one, known) < 2]
        if len(said) > entry.get("passages", 0):
            said = dice.sample(said, entry["passages"])
        everything += kept
        passages += [(entry["repository"], one) for one in said]
        counts = dict(sorted(Counter(pair.kind.value for pair in kept).items()))
        table.append(
            {
                "repository": entry["repository"],
                "commit": entry["commit"],
                "licence": entry["licence"],
                "pairs": len(kept),
                "kinds": counts,
                "passages": len(said),
                "left_out": left_out,
            }
        )
        print(entry["repository"], len(kept), counts, len(said), f"left out {left_out}", flush=True)
    with lzma.open(arguments.out / "pairs.jsonl.xz", "wt", encoding="utf-8", preset=4) as out:
        for pair in everything:
            out.write(json.dumps([pair.query, pair.positive, pair.kind.value, pair.group], ensure_ascii=False) + "\n")
    with lzma.open(arguments.out / "passages.jsonl.xz", "wt", encoding="utf-8", preset=4) as out:
        for group, text in passages:
            out.write(json.dumps([group, text], ensure_ascii=False) + "\n")
    (arguments.out / "sources.json").write_text(json.dumps(table, indent=1) + "\n")
    print(f"{len(everything)} pairs, {len(passages)} passages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
