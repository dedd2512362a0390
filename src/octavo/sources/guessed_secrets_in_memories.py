"""Secrets written out in what is to be remembered: keys of well-known formats, passwords, log-ins in addresses.

Redaction hides what stands behind its name on a line; a memory is refused on less, since whoever writes it can say
otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo.model.normalised_text_and_spans import Span
from octavo.sources.secret_assignments import KINDS, PASSWORD, entropy, looks_random
from octavo.sources.secret_redaction import PRIVATE_KEY, find_keys
from octavo.sources.secret_spans import SecretMatch, without_overlaps

# Patterns stay strings until they are needed: `re` caches the compiled form.
_ASSIGNMENT = r"""(?ix) (?<![a-z]) (?: pass(?:word|wd|phrase) | pwd | secret | token
        | (?:api|access|secret|private|auth|account|encryption|signing)[_-]?(?:key|token|secret) )
    ["'\]]{0,2} [ \t]{0,4} (?: = | : | => | := ) [ \t]{0,4}
    (?: "([^"\s]{8,200})" | '([^'\s]{8,200})' | `([^`\s]{8,200})` | ([^\s"'`<>(){}\[\],;]{8,200}) )"""


def find_secrets(text: str) -> tuple[SecretMatch, ...]:
    """The secrets written out in a text, in order; of overlapping ones only the first."""
    return without_overlaps(_candidates(text))


def _candidates(text: str) -> Iterator[SecretMatch]:
    for match in find_keys(text):
        key = match.span.of(text)
        if match.kind in (PRIVATE_KEY, *KINDS) or (not key.endswith("EXAMPLE") and entropy(key) >= 3.0):
            yield match
    for assignment in re.finditer(_ASSIGNMENT, text):
        group = assignment.lastindex or 0
        # Unquoted values need more evidence.
        if looks_random(assignment.group(group), least=2.75 if group < 4 else 3.0, quoted=group < 4):
            yield SecretMatch(PASSWORD, Span(*assignment.span(group)))
