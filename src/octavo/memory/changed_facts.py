"""Whether two sentences say something else of the same thing: `the server is 10.0.0.5`, `the server is 10.0.0.7`.

By words alone, and cautious: the sentences must be equal but for one value in a place where things have one value
(behind `is`, `runs on`, `:` …), or but for a negation. `Alice likes tea` and `Alice likes coffee` are two facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from octavo.lazy_regex import regex

_SENTENCE = regex(r"(?<=\w\w\w[.!?])\s+|(?<=\d[.!?])\s+|\n+")  # no sentence ends with `Dr.`
_TOKEN = regex(r"\w+(?:[.:/+#@_-]+\w+)*[+#]*|[:=]")
_NUMBER = regex(r"[\d.,]+(?:st|nd|rd|th|\.)?")
_STATE = regex(r"\w+(?:ed|ing|[ai]ble|ful|ous|less)")  # of which a thing may be in several
_DIGIT = regex(r"\d")
_SIGN = regex(r"[.:/+#@_-]+")
_MOST_SENTENCES, _MOST_TOKENS, _MOST_OF_VALUE = 4, 30, 4


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FILLERS = _set(
    "the a an now currently actually new our do does did really dr mr mrs ms prof herr frau der die das den dem ein "
    "eine jetzt nun neue neuer neues unser unsere le la les un une maintenant el los las una ahora"
)
_IS = _set("is are = : ist sind liegt est sont es son è sono")
_CHANGED = _set("moved changed raised lowered increased reduced switched renamed set updated")
_BEFORE_CHANGED = _set("has have was were been be will got")
_TO = _set("at to called named zu à")
_AT = _set("at in on to with by via under until before after every due in im am um auf bei à en dans")
_ONE_VALUED_VERBS = _set(
    "live lives work works run runs listen listens deploy deploys deployed start starts begin begins end ends meet "
    "meets sit sits host hosts hosted locate located store stored keep kept reports belong belongs schedule scheduled "
    "expire expires close closes open opens ship ships go goes point points manage managed own owned write written "
    "build built maintain maintained led stay stays based wohnt arbeitet läuft beginnt endet öffnet schließt"
)
_COUNTING_VERBS = _set("has have takes take costs cost allows needs requires lasts weighs holds keeps due every")
_COUNTED = _set("port version level room floor python node limit timeout")
_USES = _set("use uses using chose picked nutzen nutzt verwenden verwendet")
_FOR = _set("for as to when in für als pour para")
_SINGLE = _set(
    "branch lead leader owner manager maintainer name hostname editor theme font licence license colour color capital "
    "status deadline region timezone currency provider vendor default favourite favorite preferred"
)
_NO_SUBJECT = _set("note idea todo question lesson rule decision risk remember fyi step update correction")
_NOT = _set("not no never longer anymore nicht kein keine keinen nie ne pas plus jamais nunca")
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in _set(
        "enabled/disabled on/off true/false allowed/forbidden required/optional mandatory/optional open/closed "
        "public/private active/inactive up/down always/never an/aus aktiv/inaktiv"
    )
)
_DAYS = _set(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag "
    "sonntag"
)
_MONTHS = _set(
    "january february march april may june july august september october november december januar februar märz mai "
    "juni juli oktober dezember"
)
_ENDS_VALUE = _set("and but since because instead not from after until und aber seit statt")


def sentences(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each sentence or line as they are written, without those that say nothing of what it is about."""
    short = (_words(line) for line in _SENTENCE.split(text))
    return tuple(words for words in short if 2 <= len(words) <= _MOST_TOKENS)[:_MOST_SENTENCES]


def subject(words: Sequence[str]) -> tuple[str, ...]:
    """The words in front of the first one that joins a value: sentences that differ in the value share them."""
    joining = _IS | _AT | _USES | _COUNTING_VERBS
    at = next((at for at, word in enumerate(words) if at and word.casefold() in joining), min(3, len(words)))
    return tuple(word for word in words[:at] if word.casefold() not in _NOT)


def differ_in_value(new: Sequence[str], known: Sequence[str]) -> bool:
    """Whether both say of the same thing what cannot both be so."""
    ours, theirs = [word.casefold() for word in new], [word.casefold() for word in known]
    if _stems(ours) == _stems(theirs):
        return False
    affirmed, others = ([word for word in words if word not in _NOT] for words in (ours, theirs))
    if _stems(affirmed) == _stems(others):
        return (len(affirmed) < len(ours)) != (len(others) < len(theirs)) and len(affirmed) > 1
    before = _shared(ours, theirs)
    after = _shared(ours[before:][::-1], theirs[before:][::-1])
    head, tail = ours[:before], ours[len(ours) - after :]
    if not _has_subject(head):
        return False
    values = [_value(words[before : len(words) - after], open_ended=not after) for words in (new, known)]
    if not all(0 < len(value) <= _MOST_OF_VALUE for value in values):
        return False
    if _is_opposite(values) and not _IS.isdisjoint(head):
        return True
    return _takes_one_value(head, tail, [_class(value) for value in values])


def _words(line: str) -> tuple[str, ...]:
    """`has moved to`, `is at` and `:` are `is`; what is said twice over (`is now at`) is said once."""
    plain = line.replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    written = [word for word in _TOKEN.findall(plain) if word.casefold() not in _FILLERS]
    words: list[str] = []
    for word, following in pairwise([*written, ""]):
        folded = word.casefold()
        if folded in _CHANGED or (folded in _IS and words):
            while words and words[-1].casefold() in _BEFORE_CHANGED | _IS:
                words.pop()
            words += ["is", "in"] if folded == "moved" and not _DIGIT.search(following) else ["is"]
        elif folded in _TO and (words[-1:] == ["is"] or words[-2:] == ["is", "in"]):
            continue
        elif not (words[-1:] == ["is"] and folded in _AT and _DIGIT.search(following)):
            words.append(word)
    return tuple(words)


def _has_subject(head: Sequence[str]) -> bool:
    words = [word for word in head if word not in _IS and word not in _AT]
    return bool(words) and words[0] not in _NO_SUBJECT


def _takes_one_value(head: Sequence[str], tail: Sequence[str], classes: Sequence[tuple[str, ...]]) -> bool:
    """Whether what stands between `head` and `tail` is a value of which a thing has one, and both values are alike."""
    kind, other = classes
    last, before = head[-1], head[-2] if len(head) > 1 else ""
    if last in _IS and (before in _SINGLE or not _SINGLE.isdisjoint(head[:2])):
        return "state" not in kind if kind == other else not {"state", "number"} & {*kind, *other}
    if kind != other or kind in (("word",), ("state",)):
        return last in _USES and bool(tail) and tail[0] in _FOR and kind == other
    if last in _IS or before in _IS:  # also `is team Falcon` and `is in Lisbon`
        return True
    if last in _USES:
        return bool(tail) and tail[0] in _FOR
    if last in _AT:
        return before in _ONE_VALUED_VERBS or (_is_exact(kind) and not _ONE_VALUED_VERBS.isdisjoint(head))
    if last in _COUNTING_VERBS or last in _ONE_VALUED_VERBS:
        return _is_exact(kind)
    return last in _COUNTED and kind == ("number",) and not (_IS | _AT).isdisjoint(head)


def _is_exact(kind: tuple[str, ...]) -> bool:
    """Whether a value is an address, a number or a date, not a word or a name."""
    return not {"word", "state", "name"} & {*kind}


def _value(words: Sequence[str], *, open_ended: bool) -> Sequence[str]:
    """A value without what only one of two sentences adds to it: `10.0.0.7 since Monday`."""
    end = next((at for at, word in enumerate(words) if at and word.casefold() in _ENDS_VALUE), len(words))
    return words[:end] if open_ended else words


def _class(value: Iterable[str]) -> tuple[str, ...]:
    """What a value looks like: a number, a date, an address, a name … Neighbours of one class count once."""
    return tuple(kind for kind, following in pairwise([*_classes(value), ""]) if kind != following)


def _classes(value: Iterable[str]) -> Iterator[str]:
    for word in value:
        folded = word.casefold()
        if {folded, folded.removesuffix("s")} & _DAYS:
            yield "day"
        elif folded in _MONTHS:
            yield "month"
        elif _NUMBER.fullmatch(folded) and folded.count(".") < 2:
            yield "number"
        elif _SIGN.search(word):
            yield "".join(sorted(set("".join(_SIGN.findall(word)))))
        elif word[:1].isupper():
            yield "name"
        else:
            yield "code" if _DIGIT.search(word) else "state" if _STATE.fullmatch(folded) else "word"


def _is_opposite(values: Sequence[Sequence[str]]) -> bool:
    return all(len(value) == 1 for value in values) and frozenset(value[0].casefold() for value in values) in _OPPOSITES


def _stems(words: Iterable[str]) -> list[str]:
    """`likes` is `like` behind `does not`."""
    return [word.removesuffix("s") if len(word) > 3 else word for word in words]


def _shared(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """How many words both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False)))
