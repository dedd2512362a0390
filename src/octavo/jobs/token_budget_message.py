"""The message of a job that stops because its token budget does not suffice for the next document."""

from __future__ import annotations


def exhausted(budget: int, room: int) -> str:
    """Why the next document is left, where the budget has too little room for it."""
    if room < budget:
        return f"what is left of the budget of {budget:,} tokens does not suffice for the next document"
    return f"the budget of {budget:,} tokens does not suffice for the next document"
