"""Declares the operations on the library as a whole: its collections, whether they are up to date and all is well."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_DEFAULT, WRITES, Operation

_COLLECTIONS = ("name", "root", "present", "indexed", "skipped", "failed", "tags")
_INDEXED = ("name", "added", "changed", "moved", "removed", "unchanged", "chunks", "bytes", "skipped", "failed")

_collections = partial(Operation, module="octavo.operations.library.collections", remote=False)
_indexing = partial(Operation, module="octavo.operations.library.indexing", annotations=WRITES, watched=True)
_health = partial(Operation, module="octavo.operations.library.doctor")

LIBRARY = (
    _collections(
        name="add",
        summary="Add a folder to the library as a collection.",
        description="Add a folder to the library. Nothing is read before the next indexing run.",
        help=(
            "Nothing is read before `octavo index`. Adding a collection again changes the settings that are named and "
            "keeps the others, unless --reset; what it has indexed stays until the next run."
        ),
        listing=Listing(rows="collection", columns=_COLLECTIONS, path="root", confirms=True),
        examples=(
            "octavo add observatory --name notes",
            "octavo add observatory --name manual --kind doc --ignore 'drafts/**'",
        ),
        example={"name": "again", "folder": "."},
        annotations=WRITES,
    ),
    _collections(
        name="remove",
        summary="Remove collections from the library; their folders are not touched.",
        description="Remove collections and all that was indexed from them.",
        listing=Listing(
            rows="removed", columns=("name",), confirms=True, shown=("Removed {name}; its folder is as it was.",)
        ),
        examples=("octavo remove observatory",),
        example={"names": ["scratch"]},
        annotations=WRITES,
    ),
    _collections(
        name="collections_list",
        summary="List the collections, their documents, or the properties these have.",
        description="Every collection with its folder, its settings and what it holds; or every document.",
        listing=Listing(rows="collections", columns=_COLLECTIONS, path="root"),
        typed="list",
        examples=("octavo list", "octavo list --documents -c observatory --format files", "octavo list --keys"),
    ),
    _indexing(
        name="index",
        summary="Bring the library in step with its folders.",
        description="Read what changed in the folders into the library, and compute vectors.",
        help=(
            "A large folder is searchable by word and by fast vectors first; its full vectors are computed by whoever "
            "works in the background: a server, `octavo watch`, `octavo worker`, or this command with --wait-full.\n\n"
            "Only what changed is read. Ctrl-C at any moment leaves a valid library, and the next run goes on from "
            "there. Exit code 6 means that a file failed or a folder was out of reach."
        ),
        listing=Listing(rows="collections", columns=_INDEXED, succeeds="complete", confirms=True),
        examples=("octavo index", "octavo index observatory --wait-full"),
        example={"wait": True},
        remote=False,
        served_as="reindex",
    ),
    Operation(
        module="octavo.operations.library.status",
        name="status",
        summary="Say what the library holds and whether indexing is under way.",
        description="What the library holds: collections with their folders and counts, and how indexing goes.",
        listing=Listing(rows="collections", columns=_COLLECTIONS[:-1]),
        examples=("octavo status", "octavo status --problems"),
        tool_sets=IN_DEFAULT,
    ),
    _indexing(
        name="reindex",
        summary="Bring the library in step with its folders, in the background.",
        description=(
            "Read files that changed on disk into the library. Answers at once with the job, which status follows, "
            "or with wait when it is done."
        ),
        example={"scope": "changed", "wait": True},
        tool_sets=IN_DEFAULT,
        typed="",
    ),
    Operation(
        module="octavo.operations.library.status",
        name="watch",
        summary="Watch the folders, or stop, for the life of the process.",
        description=(
            "Say whether the folders are watched and what waits to be indexed; turn watching on or off until the "
            "server ends."
        ),
        example={"enabled": False},
        annotations=WRITES,
        typed="",
    ),
    Operation(
        module="octavo.operations.library.web_page_download",
        name="fetch",
        summary="Fetch web pages by their addresses into a folder, with the date.",
        description="Fetch web pages by a list of addresses into a folder, each below the date of that day.",
        help=(
            "The list is a text with addresses in it: lines, a browser's bookmarks, a feed reader's OPML. Only these "
            "are fetched, and only now; `octavo add` and `octavo index` read the folder as any other."
        ),
        listing=Listing(rows="pages", columns=("address", "file", "problem"), succeeds="ok"),
        examples=("octavo fetch addresses.txt web",),
        example=None,
        annotations=WRITES,
        watched=True,
        remote=False,
    ),
    Operation(
        module="octavo.operations.library.library_export",
        name="export",
        summary="Write documents as Markdown, as lines of JSON, or as a site.",
        description="Write the documents of the library, of a search or the memories for other programs.",
        help=(
            "All documents, those that a --query finds, or with --kind memory the memories. Texts are as they are "
            "stored: what was redacted stays so. `octavo add` reads Markdown and JSON again; a site is pages with the "
            "graph and a search, which need no server."
        ),
        listing=Listing(
            columns=("documents", "path"),
            confirms=True,
            shown=("{documents:document}", "{path}|place"),
            notes=("{memories_left_out:memory/memories} not exported: --kind memory writes them|warn",),
        ),
        examples=(
            "octavo export copy",
            "octavo export moons.jsonl --query 'moons of Jupiter' --force",
            "octavo export pages --to site",
        ),
        example={"target": "moons.jsonl", "query": "moons of Jupiter"},
        remote=False,
    ),
    _health(
        name="doctor",
        summary="Look for anything that is wrong, and say what to do.",
        description="Check the library, the model, the configuration it was indexed with and every collection.",
        help="Exit code 6 means that something is wrong.",
        listing=Listing(rows="checks", columns=("name", "ok", "message", "hint"), succeeds="ok"),
        aliases=("health_check",),
        examples=("octavo doctor", "octavo doctor --report"),
        example={"deep": True},
    ),
)
