"""Answers without a model: whether the fact is in them, whether it comes first, and what is left unanswered.

    ./dev bench answers LIBRARY [--questions TSV] [--show]

Each row of the file is a question and a pattern of the fact that answers it, judged by hand; `-` where nothing in the
library does. The questions of tests/golden/answers are about the help of Obsidian and about the PDF files among the
formats of the shared data, but for the one of 400 pages.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from pathlib import Path

import octavo

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "answers" / "obsidian_help.tsv"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--questions", type=Path, default=GOLDEN)
    parser.add_argument("--show", action="store_true", help="print what is not answered by the first sentence")
    given = parser.parse_args()
    counts = dict.fromkeys(("answerable", "in the answer", "in its first sentence", "unanswerable", "unanswered"), 0)
    with octavo.open(given.library) as library, given.questions.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            sentences = [sentence.text for sentence in library.ask(row["question"]).sentences]
            if row["fact"] == "-":
                counts["unanswerable"] += 1
                counts["unanswered"] += not sentences
                right = not sentences
            else:
                facts = [bool(re.search(row["fact"], sentence, re.I)) for sentence in sentences]
                counts["answerable"] += 1
                counts["in the answer"] += any(facts)
                right = facts[:1] == [True]
                counts["in its first sentence"] += right
            if given.show and not right:
                print(f"{row['question']}\t{sentences[:1]}")
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
