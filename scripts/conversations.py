"""What recorded conversations teach: a question for the turn that answers it, a fact for where somebody tells it.

Who talks is "User 1" or nobody in most records. People who look something up in a conversation ask about somebody by
name, so that each conversation gets two names, and questions are turned from "you" to one of them.
"""

from __future__ import annotations

import calendar
import csv
import io
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from octavo_train.training_pairs_from_document import PairKind, TrainingPair

NAMES = re.findall(
    r"\w+",
    """Aisha Alice Amir Anna Ben Bruno Carla Chen Clara Daniel Diego Elena Emma Farid Felix Grace Hana Hugo Ines Ivan
    Jack Jonas Julia Karim Kate Laura Leo Lina Lucas Maja Maria Marta Milan Mina Nadia Nina Noah Olga Omar Oscar Paula
    Pedro Petra Priya Rosa Sam Sara Sofia Tara Theo Tom Vera Victor Yuki Zoe""",
)
COMMON = frozenset(
    re.findall(
        r"\w+",
        """a about all also am an and are as at be been but can do for from get go going had has have he her him his how
        i if in is it its just like love lot me my of on one or really she so some that the their them then there they
        this to too up was we were what when where which who will with would you your""",
    )
)
OTHERWISE = (  # "you" to a name: what English does to the verb beside it
    (r"\bdo you\b", "does {}"),
    (r"\bare you\b", "is {}"),
    (r"\bwere you\b", "was {}"),
    (r"\bhave you\b", "has {}"),
    (r"\byou're\b", "{} is"),
    (r"\byou've\b", "{} has"),
    (r"\byou are\b", "{} is"),
    (r"\byou have\b", "{} has"),
    (r"\byours?\b", "{}'s"),
    (r"\byou\b", "{}"),
)
TOLD = ("{}", "{name}: {}", "when did {name} say this: {}", "where does {name} tell that {}", "{name} {}")
FIRST = re.compile(r"^(?:i am|i'm|i|my)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Talk:
    """Turns as (who of the two, what), and what is known of each of the two."""

    turns: tuple[tuple[int, str], ...]
    facts: tuple[tuple[int, str], ...] = ()


def talks_in_csv(text: str) -> Iterator[Talk]:
    """Three columns: what is true of the first, of the second, and what they said."""
    rows = csv.reader(io.StringIO(text))
    next(rows)
    for row in rows:
        facts = [(who, line.strip()) for who in (0, 1) for line in row[who].split("\n") if line.strip()]
        turns = []
        for line in row[2].split("\n"):
            who, colon, said = line.partition(": ")
            if colon and who in ("User 1", "User 2") and said.strip():
                turns.append((int(who == "User 2"), said.strip()))
        yield Talk(tuple(turns), tuple(facts))


def talks_in_json(text: str) -> Iterator[Talk]:
    for one in json.loads(text):
        turns = [
            (int(turn.get("speaker", "").casefold() in ("assistant", "system")), turn.get("text") or turn["utterance"])
            for turn in one.get("utterances") or one.get("turns") or []
        ]
        yield Talk(tuple(turns))


def pairs_of_talk(talk: Talk, group: str) -> Iterator[TrainingPair]:
    dice = random.Random(group)
    names = dice.sample(NAMES, 2)
    lines = [f"{names[who]}: {said}" for who, said in talk.turns]
    when = _date(dice)

    def passage(place: int) -> str:
        """The turn, or, one time in three, with some before and after it; a date above half of them."""
        first, last = place, place + 1
        if dice.random() < 1 / 3:
            first, last = max(0, place - dice.randrange(4)), place + 1 + dice.randrange(4)
        head = f"{when}\n" if dice.random() < 0.5 else ""
        return head + "\n".join(lines[first:last])

    for place, ((who, said), (other, answer)) in enumerate(zip(talk.turns, talk.turns[1:], strict=False)):
        asked = re.split(r"(?<=[.!?])\s+", said)[-1]
        if who != other and asked.endswith("?") and len(asked.split()) > 3 and len(answer.split()) > 3:
            named = dice.random() < 0.7
            yield TrainingPair(
                _about(asked, names[other]) if named else asked, passage(place + 1), PairKind.QUESTION, group
            )
    for who, fact in talk.facts:
        wanted = _words(fact)
        near = [(len(wanted & _words(said)), -place) for place, (one, said) in enumerate(talk.turns) if one == who]
        best, place = max(near, default=(0, 0))
        if best >= min(2, len(wanted)) > 0:
            bare = FIRST.sub("", fact.rstrip("."))
            query = dice.choice(TOLD).format(bare, name=names[who])
            yield TrainingPair(query, passage(-place), PairKind.SENTENCE, group)


def _about(asked: str, name: str) -> str:
    for pattern, other in OTHERWISE:
        asked = re.sub(pattern, other.format(name), asked, flags=re.IGNORECASE)
    return asked[0].upper() + asked[1:]


def _date(dice: random.Random) -> str:
    year, month, day, hour, minute = (
        dice.randrange(2012, 2026),
        dice.randrange(1, 13),
        dice.randrange(1, 29),
        dice.randrange(24),
        dice.randrange(60),
    )
    return dice.choice(
        (
            f"{day} {calendar.month_name[month]} {year}",
            f"{calendar.month_name[month]} {day}, {year}, {hour:02}:{minute:02}",
            f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}",
        )
    )


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[a-z']+", text.casefold())} - COMMON
