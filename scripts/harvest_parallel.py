"""Parallel text for teaching the encoder other languages: one English text with its translations per row.

    harvest_parallel.py extract SOURCE --mirror DIR --packages DIR --stage DIR
    harvest_parallel.py choose --stage DIR --output DIR

`extract` reads one source of `parallel_sources.toml` into `STAGE/SOURCE.jsonl` (and its pages into
`STAGE/SOURCE.pages.jsonl`); `choose` balances the languages and writes `parallel.jsonl.xz`, `counts.json`
and the retrieval set `held.jsonl`.
"""

import argparse
import html
import io
import json
import lzma
import re
import subprocess
import tarfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from zlib import crc32

LANGUAGES = (
    "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "tr", "vi", "id",
    "ro", "hu", "fi", "da", "ru", "uk", "ja", "zh", "ko", "ar", "hi", "el",
)  # fmt: skip
# Locale names in the sources; Traditional Chinese is left out, Brazilian Portuguese comes before European.
LOCALES = {language: language for language in LANGUAGES} | {
    "pt-br": "pt", "pt_BR": "pt", "zh-cn": "zh", "zh_CN": "zh", "de_DE": "de", "fr_FR": "fr", "es_ES": "es",
    "it_IT": "it", "nl_NL": "nl", "pl_PL": "pl", "cs_CZ": "cs", "sv_SE": "sv", "tr_TR": "tr", "vi_VN": "vi",
    "id_ID": "id", "ro_RO": "ro", "hu_HU": "hu", "fi_FI": "fi", "da_DK": "da", "ru_RU": "ru", "uk_UA": "uk",
    "ja_JP": "ja", "ko_KR": "ko", "el_GR": "el", "hi_IN": "hi", "pt_PT": "pt", "pt": "pt",
}  # fmt: skip
SCRIPTS = {
    "ru": "\u0400-\u052f", "uk": "\u0400-\u052f", "ja": "\u3040-\u30ff\u4e00-\u9fff", "zh": "\u3400-\u9fff",
    "ko": "\uac00-\ud7af", "ar": "\u0600-\u06ff", "hi": "\u0900-\u097f", "el": "\u0370-\u03ff\u1f00-\u1fff",
}  # fmt: skip
SCRIPT_LETTERS = {language: re.compile(f"[{letters}]") for language, letters in SCRIPTS.items()}
LATIN = re.compile("[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]")
KANA = re.compile("[\u3040-\u30ff]")
DENSE = frozenset({"ja", "zh", "ko"})

FORBIDDEN = re.compile(r"\b(django|ray\.io|import ray|obsidian|anthropic)\b", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"%[-#0-9.*lhz]*[a-zA-Z]\b|%\d|%\(|%[A-Z]|\{[\w:.!]*\}|\{\{|\$[\w({]|<[^>]*>|\[%|@\w+@|\|\w*\|_|https?://|\\[a-z]"
)
OPTION_LINE = re.compile(r"^\s*--?\w")
ENGLISH_LENGTH = range(5, 401)
RAW_LENGTH = 700  # with markup, quotes and line breaks
HELD_SHARE = 20
POOL = 1_000
QUERIES_PER_LANGUAGE = 100
FEWEST_QUERIES = 60
SHORTEST_QUERY = 8
PAGE_LENGTH = 1_200
SIZE_LIMIT = 40 * 2**20
SAMPLE = 32
TRANSLATIONS_PER_LANGUAGE = 80_000


@dataclass(frozen=True)
class Pair:
    """One English text and its translation, on the page they stand on."""

    page: str
    english: str
    language: str
    translation: str
    kind: str = ""


@dataclass(frozen=True)
class Page:
    """An English page as a retrieval target, with the queries that other languages have for it."""

    page: str
    text: str
    queries: dict[str, str] = field(default_factory=dict)
    further: dict[str, list[str]] = field(default_factory=dict)


def git_files(repository: Path, revision: str, pattern: str) -> Iterator[tuple[re.Match[str], str]]:
    """The files of a revision whose path matches, with their text."""
    listing = subprocess.run(
        ["git", "-C", str(repository), "ls-tree", "-r", revision], capture_output=True, check=True, text=True
    ).stdout
    chosen = []
    for line in listing.splitlines():
        entry, path = line.split("\t", 1)
        if match := re.fullmatch(pattern, path):
            chosen.append((match, entry.split()[2]))
    with subprocess.Popen(
        ["git", "-C", str(repository), "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for match, blob in chosen:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            header = process.stdout.readline().split()
            if header[-1] == b"missing":  # a snapshot may lack its largest files
                continue
            content = process.stdout.read(int(header[2]) + 1)
            yield match, content.decode("utf-8", "replace")
        process.stdin.close()


def package_files(package: Path, pattern: str) -> Iterator[tuple[re.Match[str], bytes]]:
    """The files of a Debian package whose path matches, read from its archive without unpacking."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            for member in archive:
                if member.isfile() and (match := re.fullmatch(pattern, member.name.removeprefix("./"))):
                    content = archive.extractfile(member)
                    assert content is not None
                    yield match, content.read()


def read_tldr(repository: Path, revision: str) -> Iterator[Pair | Page]:
    """Descriptions and command explanations, aligned by the command they explain."""
    pages: dict[str, dict[str, tuple[list[str], list[tuple[str, str]]]]] = defaultdict(dict)
    for match, text in git_files(repository, revision, r"pages(?:\.(\w+))?/(\w[\w-]*/.+)\.md"):
        language = LOCALES.get(match[1] or "", "") if match[1] else "en"
        if match[1] == "pt_PT" and "pt" in pages[match[2]]:
            continue
        # An alias page says only where the real page is.
        if language and text.count("\n- ") > 1:
            pages[match[2]][language] = tldr_parts(text)
    for name, versions in sorted(pages.items()):
        if "en" not in versions:
            continue
        description, commands = versions["en"]
        queries = {}
        further: dict[str, list[str]] = defaultdict(list)
        for language, (translated, explanations) in versions.items():
            if language == "en":
                continue
            if description and translated:
                yield Pair(name, description[0], language, translated[0])
                queries[language] = translated[0]
            if len(description) == len(translated) > 1:
                yield Pair(name, " ".join(description), language, " ".join(translated))
            for english, translation in aligned_commands(commands, explanations):
                yield Pair(name, english, language, translation)
                further[language].append(translation)
        title = name.rsplit("/", 1)[-1]
        explained = " ".join(f"{explanation}: {command}" for explanation, command in commands)
        yield Page(name, f"{title}. {' '.join(description)} {explained}"[:PAGE_LENGTH], queries, further)


def tldr_parts(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The description's lines and the (explanation, command) pairs of a tldr page."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    description = [line[1:].strip() for line in lines if line.startswith(">") and "http" not in line]
    commands = []
    for line, command in pairwise(lines):
        if line.startswith("- ") and command.startswith("`"):
            commands.append((tldr_text(line[2:]).rstrip(":：").strip(), command.strip("`")))
    return [tldr_text(line) for line in description], commands


def tldr_text(line: str) -> str:
    """A line without code marks; [c]reate marks an option's letter, and the word is what is meant."""
    return re.sub(r"\[(\w+)\]", r"\1", line).replace("`", "")


def aligned_commands(english: list[tuple[str, str]], translated: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Explanations of the same command; by position when the pages have the same shape."""

    def shape(command: str) -> str:
        return re.sub(r"\{\{.*?\}\}|\s+", "", command)

    if len(english) == len(translated):
        same = sum(shape(left[1]) == shape(right[1]) for left, right in zip(english, translated, strict=True))
        if 2 * same >= len(english):
            yield from ((left[0], right[0]) for left, right in zip(english, translated, strict=True))
            return
    shapes = Counter(shape(command) for _, command in translated)
    by_shape = {shape(command): explanation for explanation, command in translated}
    for explanation, command in english:
        if shapes[shape(command)] == 1:
            yield explanation, by_shape[shape(command)]


def read_help(packages: Path, pattern: str) -> Iterator[Pair | Page]:
    """LibreOffice help: paragraphs and headings carry the same id in every language."""
    paragraph = re.compile(r'<(p|h\d)\b[^>]*\bid="((?:par|hd)_id\w+)"[^>]*>(.*?)</\1>', re.DOTALL)
    path = r"usr/share/libreoffice/help/([\w-]+)/(text/.+)\.html"
    pages: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for package in sorted(packages.glob(pattern + ".deb")):
        for match, content in package_files(package, path):
            language = "en" if match[1] == "en-US" else LOCALES.get(match[1].lower(), "")
            if language:
                found = paragraph.findall(content.decode("utf-8", "replace"))
                pages[match[2]][language] = {name: plain(text) for _, name, text in found}
    for name, versions in sorted(pages.items()):
        english = versions.get("en", {})
        queries = {}
        for language, translated in versions.items():
            if language == "en":
                continue
            for key, text in english.items():
                if key in translated:
                    is_title = key.startswith("hd_")
                    yield Pair(name, text, language, translated[key], "title" if is_title else "")
                    if is_title and translated[key] != text and language not in queries:
                        queries[language] = translated[key]
        yield Page(name, " ".join(english.values())[:PAGE_LENGTH], queries)


def read_markdown(repository: Path, revision: str, folder: str) -> Iterator[Pair | Page]:
    """Pages under one folder per language, aligned by headings, then by paragraphs of equal number."""
    pages: dict[str, dict[str, list[list[str]]]] = defaultdict(dict)
    for match, text in git_files(repository, revision, rf"{folder}/([\w-]+)/(docs/.+)\.md"):
        language = "en" if match[1] == "en" else LOCALES.get(match[1], "")
        if language:
            pages[match[2]][language] = sections(text)
    for name, versions in sorted(pages.items()):
        english = versions.get("en", [])
        queries = {}
        for language, translated in versions.items():
            if language == "en" or not english:
                continue
            if english[0][0] and translated[0][0]:
                yield Pair(name, plain(english[0][0]), language, plain(translated[0][0]), "title")
                queries[language] = plain(translated[0][0])
            # Translations lag behind; only a page of the same headings is taken to say the same.
            if [section[0].count("#") for section in english] != [section[0].count("#") for section in translated]:
                continue
            for left, right in zip(english, translated, strict=True):
                yield Pair(name, plain(left[0]), language, plain(right[0]), "title")
                if len(left) == len(right) and links(left) == links(right):
                    for source, target in zip(left[1:], right[1:], strict=True):
                        yield Pair(name, plain(source), language, plain(target))
        text = " ".join(plain(block) for section in english for block in section)
        yield Page(name, text[:PAGE_LENGTH], queries)


def sections(text: str) -> list[list[str]]:
    """Markdown as sections: the heading (or the front matter's title), then its paragraphs."""
    title = re.search(r"^title:\s*(.+)$", text, re.MULTILINE)
    body = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    body = re.sub(r"<!--.*?-->|```.*?```|~~~.*?~~~|\{\{[<%].*?[%>]\}\}", "\n", body, flags=re.DOTALL)
    result = [[title[1].strip("\"' ") if title else ""]]
    for block in re.split(r"\n\s*\n", body):
        for piece in re.split(r"(?m)(^#{1,6} .+$)", block.strip()):
            if piece.startswith("#"):
                result.append([piece])
            elif piece.strip() and not piece.lstrip().startswith(("|", "<")):
                result[-1].append(piece.strip())
    return result


def links(section: list[str]) -> list[int]:
    return [block.count("](") for block in section]


def read_po(repository: Path, revision: str, pattern: str, language: str = "") -> Iterator[Pair]:
    """Message catalogues of documentation in source form."""
    for match, text in git_files(repository, revision, pattern):
        groups = match.groupdict()
        code = LOCALES.get(language or groups["lang"], "")
        if code:
            for english, translation in po_entries(text):
                yield Pair(groups.get("page") or groups["lang"], plain(english), code, plain(translation))


def po_entries(text: str) -> Iterator[tuple[str, str]]:
    """The (msgid, msgstr) pairs of a catalogue without fuzzy, plural and obsolete entries."""
    for entry in text.split("\n\n"):
        if "#, fuzzy" in entry or "msgid_plural" in entry or "\n#~" in entry or entry.startswith("#~"):
            continue
        at, after = entry.find('msgid "'), entry.find('\nmsgstr "')
        if at < 0 or after < at or after - at > RAW_LENGTH or entry.endswith('msgstr ""'):
            continue
        yield quoted(entry[at:after]), quoted(entry[after:])


def quoted(lines: str) -> str:
    joined = "".join(re.findall(r'"(.*)"\s*$', lines, re.MULTILINE))
    return joined.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def plain(text: str) -> str:
    """Text without HTML, Markdown and reStructuredText markup, accelerators and line breaks."""
    if "<" in text or "&" in text:
        text = html.unescape(re.sub(r"</?[a-zA-Z][^>]*>", "", text))
    text = re.sub(r":[\w:+-]+:`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)  # :ref:`title <target>`
    text = re.sub(r"`([^`<]+?)\s*<[^`]*>`_+", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`+|\*\*|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)", "", text)
    text = re.sub(r"\s*\([&_]\w\)|[&_](?=\w)(?<!\w[&_])", "", text)
    text = re.sub(r"\\ ?(?=\W|$)|\\ ", "", text)  # reStructuredText's empty separator
    text = re.sub(r"^\s*(?:#+|[-*+]|\d+\.|>)\s+|\{#[\w-]+\}", "", text)
    return " ".join(text.split())


def fits(pair: Pair) -> bool:
    """Whether the translation can be one: complete, free of placeholders, in the language's script."""
    english, translation, language = pair.english, pair.translation, pair.language
    if len(english) not in ENGLISH_LENGTH or not translation or english.casefold() == translation.casefold():
        return False
    if PLACEHOLDER.search(english) or PLACEHOLDER.search(translation) or OPTION_LINE.match(english):
        return False
    if FORBIDDEN.search(english) or FORBIDDEN.search(translation):
        return False
    letters = sum(character.isalpha() for character in translation)
    english_letters = sum(character.isalpha() for character in english)
    if english_letters < 0.6 * len(english) or not letters:
        return False
    low, high = (0.12, 1.3) if language in DENSE else (0.4, 2.5)
    if not low <= len(translation) / len(english) <= high and len(english) > 15:
        return False
    if language in SCRIPT_LETTERS:
        share = len(SCRIPT_LETTERS[language].findall(translation)) / letters
        return share >= 0.4 and not (language in {"zh", "ko"} and KANA.search(translation))
    return len(LATIN.findall(translation)) / letters >= 0.95


def kind_of(pair: Pair) -> str:
    words = pair.english.split()
    if len(words) <= 2:
        return "word"
    if pair.kind:
        return pair.kind
    if len(pair.english) > 200 or len(re.findall(r"[.!?](?:\s|$)", pair.english)) > 1:
        return "paragraph"
    return "sentence" if pair.english[-1] in ".!?:" or len(words) > 8 else "title"


def is_held(page: str) -> bool:
    # crc32, not hash(): hash() is salted per process.
    return crc32(page.encode()) % HELD_SHARE == 0


def read(source: dict, mirror: Path, packages: Path) -> Iterable[Pair | Page]:
    def git_directory(repository: str) -> Path:
        return mirror / repository.replace("/", "+") / "repo"

    match source["reader"]:
        case "tldr":
            yield from read_tldr(git_directory(source["repository"]), source["revision"])
        case "help":
            yield from read_help(packages, source["packages"])
        case "markdown":
            yield from read_markdown(git_directory(source["repository"]), source["revision"], source["folder"])
        case "po" if isinstance(source["revision"], dict):
            for language, revision in source["revision"].items():
                repository = git_directory(source["repository"].format(lang=language))
                yield from read_po(repository, revision, source["pattern"], language)
        case "po":
            yield from read_po(git_directory(source["repository"]), source["revision"], source["pattern"])


def extract(source: dict, mirror: Path, packages: Path, stage: Path) -> None:
    """Writes a source's rows (English, translations, kind, held) and pages to the stage."""
    rows: dict[str, tuple[str, dict[str, str], str, bool]] = {}
    pages: list[Page] = []
    retrieval = source["reader"] in {"tldr", "help", "markdown"}
    for item in read(source, mirror, packages):
        if isinstance(item, Page):
            pages.append(item)
        elif fits(item):
            key = re.sub(r"\W+", " ", re.sub(r"\d+", "0", item.english.casefold())).strip()
            if key not in rows:
                rows[key] = (item.english, {}, kind_of(item), False)
            english, translations, kind, held = rows[key]
            translations.setdefault(item.language, item.translation)
            rows[key] = (english, translations, kind, held or (retrieval and is_held(item.page)))
    stage.mkdir(exist_ok=True)
    with (stage / f"{source['name']}.jsonl").open("w") as out:
        for key, row in rows.items():
            out.write(json.dumps([key, *row], ensure_ascii=False) + "\n")
    if retrieval:
        with (stage / f"{source['name']}.pages.jsonl").open("w") as out:
            for page in pages:
                name = f"{source['name']}/{page.page}"
                row = [name, is_held(page.page), page.text, page.queries, page.further]
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


def choose(sources: list[dict], stage: Path, output: Path, cap: int) -> None:
    """Balances the languages, source by source and prose before labels, and writes the corpus."""
    candidates, seen, held = [], set(), set()
    staged = [source for source in sources if (stage / f"{source['name']}.jsonl").exists()]
    loaded = []
    for source in staged:
        with (stage / f"{source['name']}.jsonl").open() as lines:
            loaded.append([json.loads(line) for line in lines])
        held |= {row[0] for row in loaded[-1] if row[4]}
    labels = {"sentence": 0, "paragraph": 0, "title": 1, "word": 2}
    for rank, (source, rows) in enumerate(zip(staged, loaded, strict=True)):
        for key, english, translations, kind, _ in rows:
            if key in held or key in seen:
                continue
            seen.add(key)
            # Documentation in the closest domain goes first; the other sources are mixed evenly.
            place = (rank if source.get("first") else len(staged), labels[kind], crc32(key.encode()))
            candidates.append((place, english, translations, source["name"], kind))
    candidates.sort(key=lambda candidate: candidate[0])
    # Packing is slow, so the cap is found on a sample first.
    while (estimate := SAMPLE * len(pack(balanced(candidates, cap)[::SAMPLE]))) > SIZE_LIMIT:
        print(f"cap {cap}: about {estimate / 2**20:.1f} MiB", flush=True)
        cap = int(cap * max(0.5, 0.97 * SIZE_LIMIT / estimate))
    chosen = balanced(candidates, cap)
    while len(packed := pack(chosen)) > SIZE_LIMIT:
        cap = int(0.9 * cap)
        chosen = balanced(candidates, cap)
    print(f"cap {cap}: {len(chosen)} rows, {len(packed) / 2**20:.1f} MiB", flush=True)
    (output / "parallel.jsonl.xz").write_bytes(packed)
    write_counts(chosen, staged, output / "counts.json")


def balanced(candidates: list[tuple], cap: int) -> list[list]:
    totals: Counter[str] = Counter()
    chosen = []
    for _, english, translations, source, kind in candidates:
        kept = {
            language: text
            for language, text in sorted(translations.items())
            if totals[language] < cap or source == "tldr"
        }
        if kept:
            totals.update(kept.keys())
            chosen.append([english, kept, source, kind])
    return chosen


def pack(rows: list[list]) -> bytes:
    buffer = io.BytesIO()
    with lzma.open(buffer, "wt", encoding="utf-8", preset=1) as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return buffer.getvalue()


def write_counts(rows: list[list], sources: list[dict], path: Path) -> None:
    languages: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: Counter[str] = Counter()
    for _, translations, source, kind in rows:
        kinds[kind] += 1
        for language in translations:
            languages[language][source] += 1
    counts = {
        "rows": len(rows),
        "kinds": dict(kinds),
        "translations": {language: sum(languages[language].values()) for language in LANGUAGES},
        "by_source": {language: dict(languages[language]) for language in LANGUAGES},
        "licences": {source["name"]: source["licence"] for source in sources},
    }
    path.write_text(json.dumps(counts, indent=1, ensure_ascii=False) + "\n")


def write_held(sources: list[dict], stage: Path, output: Path) -> None:
    """The retrieval set: queries of held-back pages, and English titles of further pages to fill the pool."""
    pages = []
    for source in sources:
        path = stage / f"{source['name']}.pages.jsonl"
        if path.exists():
            with path.open() as lines:
                pages += [json.loads(line) for line in lines]
    pages = [page for page in pages if len(page[2]) >= 80 and not FORBIDDEN.search(page[2])]
    order = sorted(pages, key=lambda page: (not page[1], crc32(page[0].encode())))
    pool = [
        (name, held, re.sub(r"\{\{|\}\}|`", "", text), queries, further)
        for name, held, text, queries, further in order[:POOL]
    ]
    per_language: Counter[str] = Counter()
    rows = []

    def ask(language: str, query: str, text: str, name: str, limit: int) -> None:
        foreign = language not in SCRIPT_LETTERS or SCRIPT_LETTERS[language].search(query)
        if foreign and len(query) >= SHORTEST_QUERY and per_language[language] < limit:
            per_language[language] += 1
            rows.append([language, plain(query), text, name])

    for name, held, text, queries, _ in pool:
        for language, query in sorted(queries.items()) if held else ():
            ask(language, query, text, name, QUERIES_PER_LANGUAGE)
    # A language with few pages asks for single commands of a page too.
    for name, held, text, _, further in pool:
        for language, commands in sorted(further.items()) if held else ():
            for command in commands:
                ask(language, command, text, name, FEWEST_QUERIES)
    asked = {row[3] for row in rows}
    for name, _, text, _, _ in pool:
        if name not in asked:
            rows.append(["en", text.split(". ", 1)[0][:120], text, name])
    with (output / "held.jsonl").open("w") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(f"held: {len({row[3] for row in rows})} pages, {dict(per_language)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("extract", "choose", "held"))
    parser.add_argument("source", nargs="?")
    parser.add_argument("--mirror", type=Path, default=Path("mirror"))
    parser.add_argument("--packages", type=Path, default=Path("debs"))
    parser.add_argument("--stage", type=Path, default=Path("stage"))
    parser.add_argument("--output", type=Path, default=Path())
    parser.add_argument("--cap", type=int, default=TRANSLATIONS_PER_LANGUAGE)
    arguments = parser.parse_args()
    sources = tomllib.loads(Path(__file__).with_name("parallel_sources.toml").read_text())["source"]
    if arguments.step == "extract":
        source = next(source for source in sources if source["name"] == arguments.source)
        extract(source, arguments.mirror, arguments.packages, arguments.stage)
    elif arguments.step == "choose":
        choose(sources, arguments.stage, arguments.output, arguments.cap)
    else:
        write_held(sources, arguments.stage, arguments.output)


if __name__ == "__main__":
    main()
