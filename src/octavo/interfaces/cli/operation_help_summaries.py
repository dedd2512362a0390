"""The line `octavo --help` shows for each operation, kept here so that help imports no operations.

Written by scripts/make_cli_reference.py from the table: change that, not this module.
"""

from __future__ import annotations

SUMMARIES = {
    "search": "Find passages by word and by meaning.",
    "search-docs": "Find passages in notes and documentation only.",
    "find-similar": "Find passages like a snippet.",
    "ask": "Answer a question, every sentence with its citation.",
    "get": "Read a document, some of its lines, a section or a chunk.",
    "diff": "Show what changed between two versions of a document.",
    "get-many": "Read several documents, lines or sections at once.",
    "recent": "List the documents that were changed last.",
    "outline": "List a document's headings.",
    "inspect": "Show a file as the library sees it, and why a search does not find it.",
    "search-code": "Find code by name, place, trace, message, pattern or meaning.",
    "log": "Find commits by what they say and what they changed.",
    "history": "List the commits and stored versions of a file, or the changes of a memory.",
    "add": "Add a folder to the library as a collection.",
    "remove": "Remove collections from the library; their folders are not touched.",
    "list": "List the collections, their documents, or the properties these have.",
    "index": "Bring the library in step with its folders.",
    "status": "Say what the library holds and whether indexing is under way.",
    "fetch": "Fetch web pages by their addresses into a folder, with the date.",
    "export": "Write documents as Markdown, as lines of JSON, or as a site.",
    "doctor": "Look for anything that is wrong, and say what to do.",
    "embed": "Turn texts into vectors.",
    "remember": "Remember something, so that every later search finds it.",
    "recall": "Find what was remembered.",
    "forget": "Remove a memory from every search; its history stays.",
    "lint": "Check the notes of collections: headings, front matter, links, titles.",
}
