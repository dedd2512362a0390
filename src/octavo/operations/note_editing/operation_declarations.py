"""Declares the operations that change notes."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import READS, WRITES, Annotations, Operation

_IN_WRITING = frozenset({"writing"})
_CHANGES = Annotations(read_only=False, destructive=True, idempotent=False)
_UNLISTED = ("collection", "author", "reason", "expected_hash", "dry_run")
_WRITTEN = ("collection", "uri", "changed", "start_line", "end_line", "hash")
_NOTE = "observing/Closing down.md"

_notes = partial(
    Operation,
    module="octavo.operations.note_editing.note_editing",
    annotations=_CHANGES,
    tool_sets=_IN_WRITING,
    unlisted=_UNLISTED,
    listing=Listing(columns=_WRITTEN),
)
_memories = partial(Operation, module="octavo.operations.note_editing.note_editing", tool_sets=frozenset({"notes"}))
_lint = partial(Operation, module="octavo.operations.note_editing.note_lint", tool_sets=frozenset({"notes"}))

WRITING = (
    _notes(
        name="doc_validate",
        summary="Check the headings of a note.",
        description="Heading jumps and duplicate sibling headings of a note, with their lines.",
        listing=Listing(rows="violations", columns=("start_line", "rule", "message", "suggested_fix")),
        examples=(f'octavo doc validate "{_NOTE}"',),
        example={"uri": _NOTE},
        unlisted=("collection",),
        annotations=READS,
    ),
    _notes(
        name="doc_auto_fix",
        summary="Close the heading jumps of a note.",
        description="Put each heading one level below its parent; answers with the violations that remain.",
        examples=(f'octavo doc auto-fix "{_NOTE}" --dry-run',),
        example={"uri": _NOTE, "dry_run": True},
    ),
    _notes(
        name="doc_create",
        summary="Create a note with a title, from a template if one is given.",
        description="Create a Markdown note. Fails if the file exists, unless overwrite.",
        examples=("octavo doc create ideas/Mirrors.md Mirrors --content 'Clean them in May.'",),
        example={"uri": "ideas/Mirrors.md", "title": "Mirrors", "content_md": "Clean them in May.", "dry_run": True},
    ),
    _notes(
        name="doc_insert_section",
        summary="Insert a section below a heading of a note.",
        description="Add a section with a new heading below a parent heading.",
        help="--under is repeated for each heading from the root to the parent; without it, the section is at the top.",
        examples=(f'octavo doc insert-section "{_NOTE}" "In a storm" "Close at once." --under "Closing down"',),
        example={
            "uri": _NOTE,
            "parent_heading_path": ["Closing down"],
            "heading": "In a storm",
            "content_md": "Close at once.",
            "dry_run": True,
        },
    ),
    _notes(
        name="doc_replace_section",
        summary="Replace the text below a heading of a note.",
        description=(
            "Replace a section's body; its heading and its subsections stay. Every doc tool that writes takes "
            "expected_hash and dry_run."
        ),
        help="--section is repeated for each heading from the root to the section. The text may be piped in.",
        examples=(f'octavo doc replace-section "{_NOTE}" "In haste." --section "Closing down" --dry-run',),
        example={"uri": _NOTE, "heading_path": ["Closing down"], "content_md": "In haste.", "dry_run": True},
        unlisted=("collection", "author", "reason"),
    ),
    _notes(
        name="doc_append_to_section",
        summary="Append to the text below a heading of a note.",
        description="Add Markdown at the end of a section's body, before its subsections.",
        help="--section is repeated for each heading from the root to the section. The text may be piped in.",
        examples=(f'octavo doc append-to-section "{_NOTE}" "Then go home." --section "Closing down" --dry-run',),
        example={"uri": _NOTE, "heading_path": ["Closing down"], "content_md": "Then go home.", "dry_run": True},
    ),
    _notes(
        name="doc_move_section",
        summary="Move a section of a note below another heading.",
        description="Move a section with its subsections to the end of another parent; its levels follow.",
        help="--section and --under are repeated for each heading of the path; without --under, it moves to the top. "
        "A dry run lists the links that would lead nowhere; --update-links writes them anew.",
        examples=(f'octavo doc move-section "{_NOTE}" --section "Closing down" --dry-run',),
        example={"uri": _NOTE, "from_heading_path": ["Closing down"], "to_parent_heading_path": [], "dry_run": True},
        unlisted=(*_UNLISTED, "update_links"),
    ),
    _notes(
        name="doc_rename",
        summary="Give a note's file or one of its headings another name, and let links follow.",
        description=(
            "Rename a note's file (to) or one of its headings (heading_path, heading). A dry run lists the links that "
            "would lead elsewhere; update_links writes them too, all or nothing."
        ),
        examples=(
            f'octavo doc rename "{_NOTE}" --to "observing/At the end.md" --dry-run',
            f'octavo doc rename "{_NOTE}" --section "Closing down" --heading "At the end" --update-links',
        ),
        example={"uri": _NOTE, "to": "observing/At the end.md", "update_links": True, "dry_run": True},
        tool_sets=frozenset(),
        unlisted=(),
    ),
    _notes(
        name="doc_restore",
        summary="Undo the last write to a note, or write an earlier version of it.",
        description="Undo the last write to a note, or write back a version.",
        help=(
            "Without --version, the last write through Octavo is taken back to the byte, and again the one before it; "
            "with it the links that it changed in other notes, and the file's name. "
            "`octavo history FILE` lists versions and writes."
        ),
        examples=(f'octavo doc restore "{_NOTE}" --version 1 --dry-run',),
        example={"uri": _NOTE, "version": 1, "dry_run": True},
    ),
    _notes(
        name="doc_set_property",
        summary="Set or remove a property in the front matter of a note.",
        description="Set one front matter property; all others keep their bytes.",
        help="Without a VALUE the property is there and empty; with --remove it is gone. A number, true, false and a "
        "list, '[a, b]', keep their type; --text or quotes make a text of them.",
        examples=(f'octavo doc set-property "{_NOTE}" status reviewed --dry-run',),
        example={"uri": _NOTE, "key": "status", "value": "reviewed", "dry_run": True},
    ),
    _notes(
        name="notes_new",
        summary="Make a note from its title, and from a template if one is named.",
        description="Make a note: its file's name follows from the title, its folder from the configuration.",
        help=(
            "A template is a note in the folder `templates` of the collection, with {{title}}, {{date}}, {{time}} and "
            "{{content}} in it. --edit opens the note in $EDITOR."
        ),
        examples=('octavo notes new "Mirror cleaning" --content "In May."',),
        example={"title": "Mirrors: cleaning", "content_md": "In May.", "dry_run": True},
        tool_sets=frozenset(),
        unlisted=(),
    ),
    _notes(
        name="notes_append",
        summary="Add a text at the end of a note, which is made if it is not there.",
        description="Add Markdown at the end of a note found by its name; a missing one is made.",
        help="The text may be piped in. --section, repeated for each heading, adds to that section instead.",
        examples=('octavo notes append "Closing down" "- Lock the gate." --dry-run',),
        example={"note": "Closing down", "content_md": "- Lock the gate.", "dry_run": True},
        tool_sets=frozenset(),
        unlisted=(),
    ),
    _notes(
        name="notes_today",
        summary="Make today's note, or add a text to it.",
        description="Today's note, made if it is not there; a text is added at its end.",
        help="It is `daily/2026-01-31.md`, from the template `daily` if there is one. --edit opens it in $EDITOR.",
        examples=("octavo notes today", "octavo notes today 'Clear skies tonight.'"),
        example={"content_md": "Clear skies tonight.", "dry_run": True},
        tool_sets=frozenset(),
        unlisted=(),
    ),
    _memories(
        name="memory_to_note",
        summary="Write a memory into a section of a note, with its provenance.",
        description="Append a memory's text to a note's section, with who remembered it when; the memory links to it.",
        listing=Listing(columns=_WRITTEN),
        examples=(f'octavo memory to-note "Dome and humidity" "{_NOTE}" --section "Closing down" --dry-run',),
        example={"item": "Dome and humidity", "uri": _NOTE, "heading_path": ["Closing down"], "dry_run": True},
        annotations=_CHANGES,
    ),
    _memories(
        name="memory_from_note",
        summary="Remember a section of a note, with a citation back to it.",
        description="Store a section as a memory whose text ends with a link to where it stands.",
        help="`octavo remember --from URI#HEADING` does the same.",
        listing=Listing(columns=("item", "version", "action", "kind", "scope", "title", "tags"), confirms=True),
        examples=(f'octavo memory from-note "{_NOTE}#Closing down" --kind rule',),
        example={"source": f"{_NOTE}#Closing down"},
        annotations=WRITES,
        creates=True,
        enqueues=True,
    ),
    _lint(
        name="lint",
        summary="Check the notes of collections: headings, front matter, links, titles.",
        description="Heading jumps, broken links, missing anchors, duplicate titles, orphans and bad front matter.",
        help=(
            "Files are paths or uris; without any, every note is checked. Exit code 6 means that there are findings "
            "beyond mere notes. --format sarif is for code scanning. writing.lint_off switches rules off."
        ),
        listing=Listing(
            rows="findings",
            columns=("collection", "uri", "start_line", "severity", "rule", "message", "suggested_fix"),
            succeeds="ok",
        ),
        examples=(
            "octavo lint",
            f'octavo lint "{_NOTE}" --rule broken-wikilink --rule missing-anchor',
            "octavo lint --fix --dry-run",
            "octavo lint --format sarif",
        ),
        example={"files": [_NOTE]},
        annotations=_CHANGES,
        watched=True,
    ),
)
