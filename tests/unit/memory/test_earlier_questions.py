"""The questions of a conversation, kept in a session."""

from __future__ import annotations

from set_clock import SetClock

from octavo.memory.earlier_questions import earlier_questions, keep_question
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.work_sessions import end, start


def test_questions_are_kept_in_order_until_the_session_ends(memories: ProjectMemories, clock: SetClock) -> None:
    start(memories, "somebody else's work", "ann")
    assert earlier_questions(memories) == ()
    keep_question(memories, "Who opens\nthe dome?")
    clock.now += 60
    keep_question(memories, "When does the dome close?")
    assert earlier_questions(memories) == ("Who opens the dome?", "When does the dome close?")
    (session,) = (
        session for session in memories.repository.sessions(memories.project) if session.author == "octavo ask"
    )
    assert session.title == "Who opens the dome?"
    end(memories, session.id)
    assert earlier_questions(memories) == ()
    clock.now += 60
    keep_question(memories, "What is a finder?")
    assert earlier_questions(memories) == ("What is a finder?",)


def test_only_the_last_questions_are_kept_and_no_keys(memories: ProjectMemories) -> None:
    for number in range(30):
        keep_question(memories, f"question {number} about ghp_{'a1B2' * 9}")
    kept = earlier_questions(memories)
    assert len(kept) == 20 and kept[-1].startswith("question 29") and "a1B2" not in "".join(kept)
