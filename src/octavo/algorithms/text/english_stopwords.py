"""English words that carry no subject, or only frame a question: left out of queries, never out of documents."""

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

# What people put around what they ask for: "what does it mean when I get a 529?", "what should I do first when I start
# buying tools?". Only a sentence is read without them: "first aid" and "start page" mean what they say.
FRAMING_WORDS = """
    actually anybody anyone anything best come comes coming ever everything exactly explain find finding first get
    gets getting give gives go goes going good got happen happened happening happens hello help hi know let
    look looking lot made make makes making many may maybe mean meaning means might more most much must need needed
    needing needs now possible really right say says see seem seems show somebody someone something sort start
    started starting starts still sure talk talking tell tells thanks thing things think try trying understand want
    wanted wants way ways whether wonder wondering work working works
"""
