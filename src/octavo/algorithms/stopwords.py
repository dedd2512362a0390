"""English words that carry no subject: left out of queries, never out of documents."""

from __future__ import annotations

# Words are compared after analysis: "I'd", "we'll" and "let's" are missing because they would take along id, well
# and let; "us" is a country as well.
STOP_WORDS = """
    a about after again all also am an and any are as at be because been before being between both but by
    can can't cannot could couldn't did didn't do does doesn't doing don't during each eg for from further
    had has have having he her here hers him his how i i'm i've ie if in into is isn't it its just
    like me my no nor not of off on once one only or other our ours out over own please same
    she should so some such than that the their theirs them then there these they this those through to too
    under until up use used using very was wasn't we we're we've were what what's when where which while
    who whom whose why will with won't would you you're you've your yours
"""
