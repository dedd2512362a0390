"""The table of Memento's tools: names, limits and defaults are those of its schemas."""

from __future__ import annotations

from octavo.interfaces.mcp.tool_aliases.aliased_tool import (
    Alias,
    Argument,
    anything,
    choice,
    flag,
    group,
    number,
    text,
    whole,
)
from octavo.interfaces.mcp.tool_aliases.memento import memory_answers, project_and_session_answers
from octavo.interfaces.mcp.tool_aliases.memento.tool_arguments import (
    ANY_REFERENCE,
    CANONICAL_DOCUMENT,
    CANONICAL_KEY,
    ENTRIES,
    FILTERS,
    IDEMPOTENCY_KEY,
    PAGED,
    VERSION,
    in_project,
    of_item,
)

TOOLS: tuple[Alias, ...] = (
    Alias(
        "projects.resolve",
        "projects_resolve",
        "Find the project of a folder or repository, or make it, and use it from here on.",
        {
            "workspace_name": text(None, longest=100),
            "workspace_id": text(None, longest=100),
            "cwd": text(None, longest=4_096),
            "repo_url": text(None, longest=2_000),
            "project_key": text(None, longest=200),
            "display_name": text(None, longest=200),
            "create_if_missing": flag(True, None),
        },
        project_and_session_answers.resolved,
        settles_project=True,
    ),
    Alias(
        "projects.list",
        "projects_list",
        "List projects.",
        {"workspace_name": text("workspace", longest=100), **PAGED},
        project_and_session_answers.listed,
    ),
    Alias(
        "sessions.start",
        "sessions_start",
        "Begin a session, which memories may belong to.",
        in_project(client_name=text("author", longest=200), title=text(longest=500), metadata=anything()),
        project_and_session_answers.session_started,
    ),
    Alias(
        "sessions.end",
        "sessions_end",
        "End a session, with what was done and found.",
        in_project(
            session_id=text("session", longest=100, required=True),
            summary=text(longest=100_000),
            create_snapshot=flag(False, None),
            snapshot=anything(),
            idempotency_key=text(None, longest=200),
        ),
        project_and_session_answers.session_ended,
    ),
    Alias(
        "embedding_profiles.list",
        "profiles_list",
        "List embedding profiles.",
        in_project(include_inactive=flag(None, None)),
        project_and_session_answers.profiles,
    ),
    Alias(
        "embedding_profiles.upsert",
        "profiles_set",
        "Make or change an embedding profile.",
        in_project(
            idempotency_key=text(None, longest=200),
            embedding_profile_id=text(None, longest=100),
            name=text(longest=100, required=True),
            provider=text(None, longest=50, required=True),
            model=text(longest=200, required=True),
            dims=whole(8, 65_536, to="dimensions"),
            distance=choice(("cosine", "l2", "ip", "dot"), "cosine", None),
            provider_config=anything(),
            set_active=flag(False, "activate"),
        ),
        project_and_session_answers.profile_set,
    ),
    Alias(
        "embedding_profiles.activate",
        "profiles_activate",
        "Search with an embedding profile that has every vector.",
        in_project(
            embedding_profile_id=text("name", longest=100, required=True), idempotency_key=text(None, longest=200)
        ),
        project_and_session_answers.profile_activated,
    ),
    Alias(
        "memory.commit",
        "memory_commit",
        "Write memories: new ones, or the next versions of some.",
        in_project(
            idempotency_key=text(None, longest=190),
            session_id=text(None, longest=100),
            author=text(None, longest=200),
            summary=text(None, longest=2_000),
            entries=ENTRIES,
        ),
        memory_answers.committed,
    ),
    Alias(
        "memory.get",
        "memory_get",
        "Read a memory whole, with its links.",
        of_item(
            version_num=whole(1, 1_000_000_000, to=None),
            include_content=flag(True, None),
            max_chars=whole(200, 200_000, 20_000, None),
        ),
        memory_answers.got,
    ),
    Alias(
        "memory.list",
        "memory_search",
        "List memories, pinned and latest first.",
        in_project(filters=FILTERS, **PAGED),
        memory_answers.listed,
    ),
    Alias(
        "memory.search",
        "memory_search",
        "Find memories by word and by meaning.",
        in_project(
            query=text(longest=2_000, required=True, minLength=1),
            limit=whole(1, 200, 20),
            filters=FILTERS,
            lexical_top_k=whole(1, 200, to=None),
            semantic_top_k=whole(1, 200, to=None),
            include_chunks=flag(True),
            max_chunk_chars=whole(100, 4_000, 600, "max_chars"),
            debug=flag(None, None),
        ),
        memory_answers.searched,
    ),
    Alias(
        "memory.restore",
        "memory_restore",
        "What to know before going on; with version_num, make an earlier version current again.",
        of_item(
            goal=text(None, longest=2_000),
            version_num=whole(1, 1_000_000_000, to=None),
            idempotency_key=text(None, longest=200),
            max_items=whole(1, 50, 12, None),
            max_chars=whole(2_000, 200_000, 30_000, None),
            include_canonical=flag(True, None),
            include_latest_snapshot=flag(True, None),
            include_recent_troubleshooting=flag(True, None),
            troubleshooting_days=whole(1, 365, 30, None),
            troubleshooting_max=whole(0, 50, 6, None),
            include_context_pack=flag(False, None),
        ),
        memory_answers.bundle,
    ),
    Alias("memory.history", "memory_history", "The versions of a memory.", of_item(**PAGED), memory_answers.history),
    Alias(
        "memory.diff",
        "memory_diff",
        "What changed between two versions of a memory.",
        of_item(
            from_version_num=whole(1, 1_000_000_000, to="old"),
            to_version_num=whole(1, 1_000_000_000, to="new"),
            context_lines=whole(0, 50, 3, "context"),
        ),
        memory_answers.diff,
    ),
    *(
        Alias(
            f"memory.{done}",
            f"memory_{done}",
            does,
            of_item(idempotency_key=IDEMPOTENCY_KEY, **more),
            memory_answers.state,
        )
        for done, does, more in (
            ("pin", "Show a memory first.", {}),
            ("unpin", "Show a memory first no longer.", {}),
            (
                "archive",
                "Take a memory out of every search.",
                {"status": choice(("archived", "deleted"), "archived", None)},
            ),
        )
    ),
    *(
        Alias(
            f"memory.{done}",
            f"memory_{done}",
            does,
            in_project(
                **{"from": Argument(ANY_REFERENCE.schema, None, required=True, inside=ANY_REFERENCE.inside)},
                to=group(
                    item_id=text(None, longest=500),
                    canonical_key=text(None, longest=400),
                    name=text(None, longest=4_096),
                ),
                relation=text("type", longest=100, default="relates_to"),
                weight=number(0, 100, to=None),
                metadata=anything(),
                idempotency_key=IDEMPOTENCY_KEY,
            ),
            memory_answers.linked,
        )
        for done, does in (("link", "Link a memory to another."), ("unlink", "Take a link away."))
    ),
    Alias(
        "canonical.upsert",
        "canonical_upsert",
        "Write a canonical document under its key.",
        in_project(**CANONICAL_DOCUMENT),
        memory_answers.canonical_upserted,
    ),
    Alias(
        "canonical.get",
        "canonical_get",
        "Read a canonical document.",
        in_project(
            canonical_key=CANONICAL_KEY,
            version_num=whole(1, 1_000_000_000, to=None),
            include_content=flag(True, None),
            max_chars=whole(200, 500_000, 50_000, None),
        ),
        memory_answers.canonical_got,
    ),
    Alias(
        "canonical.outline",
        "canonical_outline",
        "The sections of a canonical document.",
        in_project(canonical_key=CANONICAL_KEY, version_num=VERSION),
        memory_answers.canonical_outline,
    ),
    Alias(
        "canonical.get_section",
        "canonical_get_section",
        "One section of a canonical document.",
        in_project(
            canonical_key=CANONICAL_KEY,
            section_anchor=text("anchor", longest=500, required=True),
            version_num=VERSION,
            max_chars=whole(200, 200_000, 30_000, None),
        ),
        memory_answers.canonical_section,
    ),
    Alias(
        "canonical.context_pack",
        "canonical_context_pack",
        "What a canonical document says to a goal, within a length.",
        in_project(
            canonical_key=text(None, longest=400, required=True),
            goal=text("query", longest=2_000, required=True),
            max_chars=whole(2_000, 200_000, 30_000, None),
            version_num=whole(1, 1_000_000_000, to=None),
        ),
        memory_answers.canonical_pack,
    ),
    Alias(
        "admin.reindex_profile",
        "profiles_reindex",
        "Fill an embedding profile in the background.",
        in_project(
            embedding_profile_id=text("name", longest=100, required=True),
            idempotency_key=text(None, longest=200),
            mode=choice(("enqueue", "inline"), "enqueue", None),
            force=flag(False),
        ),
        project_and_session_answers.profile_reindexed,
    ),
    Alias(
        "admin.reingest_version",
        "memory_reingest",
        "Cut, analyse and embed a memory again.",
        in_project(
            version_id=text(None, longest=500, required=True),
            idempotency_key=text(None, longest=200),
            include_embedding=flag(None, None),
        ),
        memory_answers.reingested,
    ),
    Alias("health.check", "doctor", "Whether everything works.", {}, project_and_session_answers.health),
)
