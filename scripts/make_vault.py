"""Writes a vault of made-up notes for tests and measurements: the same numbers and seed give the same bytes.

python scripts/make_vault.py FOLDER --files 1000 --sections 5 --words 80 --code --front-matter
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

_TEXT = """
Anchor basin cable damper engine filter gauge hinge inlet joint kernel lever mirror nozzle orbit piston quartz rotor
sensor turbine uplink valve wiring yoke zenith steady narrow bright hollow silent rapid measured closes opens turns
holds drains records follows limits before after under beside during every other third
"""
_WORDS = tuple(_TEXT.lower().split())
_TOPICS = ("Cooling", "Power", "Optics", "Network", "Storage", "Control", "Safety", "Logistics")


def make_vault(
    folder: Path, files: int, sections: int, words: int, *, code: bool, front_matter: bool, seed: int = 0
) -> None:
    """Notes in folders by topic, linked with each other; lengths vary around the averages that were asked for."""
    chance = random.Random(seed)
    for number in range(files):
        topic = _TOPICS[number % len(_TOPICS)]
        head = f"---\ntags: [{topic.lower()}]\naliases: [n{number}]\n---\n\n" if front_matter else ""
        body = "".join(_section(chance, place, words, code=code) for place in range(max(1, _around(chance, sections))))
        end = f"See [[note-{chance.randrange(files):05d}]].\n"
        note = folder / topic.lower() / f"note-{number:05d}.md"
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(f"{head}# {topic} {number}\n\n{body}{end}", "utf-8")


def _section(chance: random.Random, place: int, words: int, *, code: bool) -> str:
    title = " ".join(chance.sample(_WORDS, 2)).capitalize()
    text = " ".join(chance.choices(_WORDS, k=max(1, _around(chance, words)))).capitalize()
    name, value = chance.choice(_WORDS), chance.randrange(1_000)
    block = f"```python\ndef {name}():\n    return {value}\n```\n\n" if code and place % 3 == 0 else ""
    return f"{'#' * (2 + place % 2)} {title}\n\n{text}.\n\n{block}"


def _around(chance: random.Random, average: int) -> int:
    return round(chance.uniform(0.5, 1.5) * average)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    for name, default in (("files", 100), ("sections", 5), ("words", 80), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--code", action="store_true")
    parser.add_argument("--front-matter", action="store_true")
    given = parser.parse_args(arguments)
    if given.folder.exists() and any(given.folder.iterdir()):
        parser.error(f"{given.folder} is not empty")
    make_vault(
        given.folder,
        given.files,
        given.sections,
        given.words,
        code=given.code,
        front_matter=given.front_matter,
        seed=given.seed,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
