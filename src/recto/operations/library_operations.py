"""The operations on what was indexed: search it, read it, bring it up to date."""

from __future__ import annotations

from recto.operations import get, hits, outline, projects, reindex, search, status, watch
from recto.operations.finding import SearchRequest
from recto.operations.operation import IN_CODE, IN_DEFAULT, IN_MEMORY, WRITES, ErrorCase, Operation

_NO_COLLECTION = ErrorCase({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND")

LIBRARY_OPERATIONS = (
    Operation(
        name="search",
        summary="Find passages by word and by meaning.",
        description=(
            "Find passages in the indexed notes, documentation and code. Each hit is an exact excerpt with its "
            "uri and lines: cite it as uri:line. Read more around a hit with get."
        ),
        function=search.search,
        request=SearchRequest,
        answer=hits.SearchAnswer,
        text=hits.text,
        example={"query": "when does the dome have to close?", "limit": 3},
        errors=(
            _NO_COLLECTION,
            ErrorCase({"query": "dome", "profile": "nonsense"}, "INVALID_ARGUMENT"),
            ErrorCase({"query": "dome", "modified_after": "yesterday"}, "INVALID_ARGUMENT"),
            ErrorCase({"query": "dome", "cursor": "nonsense"}, "NOT_FOUND"),
        ),
        tool_sets=IN_DEFAULT,
        unlisted=(
            "profile",
            "uris",
            "heading_contains",
            "language",
            "tags_any",
            "modified_before",
            "max_excerpt_chars",
            "mode",
            "min_score",
            "similarity_threshold",
            "require_fresh",
            "explain",
        ),
    ),
    Operation(
        name="search_docs",
        summary="Find passages in notes and documentation only.",
        description="The same as search, with code, configuration and commits left out.",
        function=search.search_docs,
        request=search.SearchDocsRequest,
        answer=hits.SearchAnswer,
        text=hits.text,
        example={"query": "polar alignment", "path_prefix": "equipment/"},
        errors=(_NO_COLLECTION,),
        tool_sets=IN_CODE,
    ),
    Operation(
        name="search_with_hypothesis",
        summary="Find passages that say what you imagine the answer to say.",
        description=(
            "For vague questions: write the passage you hope to find, and it is looked for by meaning. "
            "A query, when given, is looked for by word."
        ),
        function=search.search_with_hypothesis,
        request=search.HypothesisRequest,
        answer=hits.SearchAnswer,
        text=hits.text,
        example={"hypothesis": "The dome is closed when the humidity rises above 85 per cent.", "limit": 3},
        errors=(ErrorCase({"hypothesis": "rain", "kinds": ["nonsense"]}, "INVALID_ARGUMENT"),),
    ),
    Operation(
        name="find_similar",
        summary="Find passages like a snippet.",
        description="Find the chunks nearest in meaning to a piece of code or prose, which is taken literally.",
        function=search.find_similar,
        request=search.SimilarRequest,
        answer=hits.SearchAnswer,
        text=hits.text,
        example={
            "snippet": "Open the shutter before the mirror has cooled down.",
            "exclude_file": "observing/Opening the dome.md",
            "limit": 3,
        },
        errors=(ErrorCase({"snippet": "x = 1", "collections": ["nowhere"]}, "NOT_FOUND"),),
        tool_sets=IN_CODE,
    ),
    Operation(
        name="get",
        summary="Read a document, some of its lines, a section or a chunk.",
        description="Read what a hit points at, exactly as stored: a document, lines, a section or a chunk.",
        function=get.get,
        request=get.GetRequest,
        answer=get.GetAnswer,
        text=get.text,
        example={"reference": "observing/Closing down.md:1-12"},
        errors=(
            ErrorCase({"reference": "../../etc/passwd"}, "NOT_FOUND"),
            ErrorCase({"reference": "observing/Closing down.md:9-3"}, "INVALID_ARGUMENT"),
        ),
        tool_sets=IN_DEFAULT | IN_CODE,
    ),
    Operation(
        name="outline",
        summary="List a document's headings.",
        description="List a document's headings with anchors and lines: what to ask get for in a long document.",
        function=outline.outline,
        request=outline.OutlineRequest,
        answer=outline.OutlineAnswer,
        text=outline.text,
        example={"reference": "equipment/The 40 cm reflector.md"},
        errors=(ErrorCase({"reference": "/etc/passwd"}, "NOT_FOUND"),),
    ),
    Operation(
        name="status",
        summary="Say what the library holds and whether indexing is under way.",
        description="What the library holds: collections with their folders and counts, and how indexing goes.",
        function=status.status,
        request=status.StatusRequest,
        answer=status.StatusAnswer,
        text=status.status_text,
        example={},
        errors=(ErrorCase({"verbose": True}, "INVALID_ARGUMENT"),),
        tool_sets=IN_DEFAULT,
    ),
    Operation(
        name="reindex",
        summary="Bring the library in step with its folders.",
        description=(
            "Read files that changed on disk into the library. Answers at once with the job, which status follows, "
            "or with wait when it is done."
        ),
        function=reindex.reindex,
        request=reindex.ReindexRequest,
        answer=reindex.Job,
        text=reindex.text,
        example={"scope": "changed", "wait": True},
        errors=(
            ErrorCase({"scope": "prefix", "prefix": "../"}, "INVALID_ARGUMENT"),
            ErrorCase({"collections": ["nowhere"]}, "NOT_FOUND"),
        ),
        annotations=WRITES,
        tool_sets=IN_DEFAULT,
        watched=True,
    ),
    Operation(
        name="watch",
        summary="Watch the folders, or stop, for the life of the process.",
        description=(
            "Say whether the folders are watched and what waits to be indexed; turn watching on or off until the "
            "server ends."
        ),
        function=watch.watch,
        request=watch.WatchRequest,
        answer=watch.WatchAnswer,
        text=watch.text,
        example={"enabled": False},
        errors=(ErrorCase({"debounce_ms": 10}, "INVALID_ARGUMENT"),),
        annotations=WRITES,
    ),
    Operation(
        name="health_check",
        summary="Look for anything that is wrong.",
        description="Check the library, the model, the configuration it was indexed with and every collection.",
        function=status.health_check,
        request=status.HealthRequest,
        answer=status.HealthAnswer,
        text=status.health_text,
        example={"deep": True},
        errors=(ErrorCase({"depth": 1}, "INVALID_ARGUMENT"),),
    ),
    Operation(
        name="projects_resolve",
        summary="Say which project a folder, a repository or a name means, and make it when asked.",
        description=(
            "From a working directory, a repository's address or a name to the project, with the collections at, above "
            "or below the folder. With create_if_missing the project is made and known by them from then on."
        ),
        function=projects.projects_resolve,
        request=projects.ProjectsResolveRequest,
        answer=projects.ProjectsResolveAnswer,
        text=projects.projects_resolve_text,
        example={"path": "/"},
        errors=(
            ErrorCase({"path": "relative/path"}, "INVALID_ARGUMENT"),
            ErrorCase({"path": "/nowhere/at/all"}, "NOT_FOUND"),
            ErrorCase({}, "INVALID_ARGUMENT"),
            ErrorCase({"repo_url": "not an address"}, "INVALID_ARGUMENT"),
        ),
        annotations=WRITES,
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="projects_list",
        summary="List the projects in the library.",
        description="Every project in the library with its collections and counts.",
        function=projects.projects_list,
        request=projects.ProjectsListRequest,
        answer=projects.ProjectsListAnswer,
        text=projects.projects_list_text,
        example={},
        errors=(ErrorCase({"all": True}, "INVALID_ARGUMENT"),),
        tool_sets=IN_MEMORY,
    ),
)
