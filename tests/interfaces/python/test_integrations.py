"""Octavo in other frameworks, each with the real package where it is installed: citations survive in all of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from inspect import iscoroutine, signature
from pathlib import Path
from typing import Any

import pytest

import octavo

QUERY = "water for a young tree"
NOTES = {
    "apples.md": "# Apple trees\n\n## Watering\n\nA young tree needs two buckets of water a week.\n",
    "bread.md": "# Bread\n\nThe dough rests overnight, covered with a wet cloth.\n",
    "pond.md": "# The pond\n\nWater lilies shade the water of the pond.\n",
    "rain.md": "# Rain\n\nA barrel below the roof gathers water for the garden.\n",
}
pytestmark = [pytest.mark.one_engine, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[octavo.Library]:
    folder = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    with octavo.open(folder.parent / "library.db", create=True) as made:
        made.add(folder, name="notes")
        made.index()
        yield made


def check(told: dict[str, Any], hit: octavo.FoundHit) -> None:
    assert (told["uri"], told["citation"], told["heading_path"]) == (hit.uri, hit.citation, list(hit.heading_path))
    assert (told["start_line"], told["end_line"]) == (hit.start_line, hit.end_line)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_hits_are_a_table_of_what_is_installed(library: octavo.Library, name: str) -> None:
    pytest.importorskip(name)
    found = library.search(QUERY)
    frame = found.to_frame(name)
    assert list(frame["citation"]) == [hit.citation for hit in found]
    assert list(frame["heading_path"][0]) == list(found.hits[0].heading_path)


def test_a_table_without_its_package_says_what_to_install(
    library: octavo.Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("octavo.operations.jupyter_display.find_spec", lambda name: None)
    with pytest.raises(octavo.OctavoError) as raised:
        library.search(QUERY).to_frame()
    assert "pandas" in raised.value.message and "pip install" in raised.value.hint


def test_a_retriever_of_langchain_gives_the_same_hits(library: octavo.Library) -> None:
    pytest.importorskip("langchain_core")
    from octavo.integrations.langchain import OctavoRetriever

    documents = OctavoRetriever(library=library, k=2).invoke(QUERY)
    hits = library.search(QUERY, limit=2).hits
    assert [document.page_content for document in documents] == [hit.excerpt for hit in hits]
    check(documents[0].metadata, hits[0])


def test_the_standard_suite_for_retrievers_of_langchain_passes(library: octavo.Library) -> None:
    suite = pytest.importorskip("langchain_tests.integration_tests").RetrieversIntegrationTests
    from octavo.integrations.langchain import OctavoRetriever

    class Suite(suite):  # type: ignore[misc, valid-type]
        retriever_constructor = OctavoRetriever
        retriever_constructor_params = {"library": library, "filters": {"show_all": True}}  # noqa: RUF012
        retriever_query_example = QUERY

    tested = Suite()
    retriever = OctavoRetriever(**Suite.retriever_constructor_params)
    tested.test_k_constructor_param()
    tested.test_invoke_with_k_kwarg(retriever)
    tested.test_invoke_returns_documents(retriever)
    asyncio.run(tested.test_ainvoke_returns_documents(retriever))


def test_the_standard_suites_for_stores_of_langchain_pass(tmp_path: Path) -> None:
    suites = pytest.importorskip("langchain_tests.integration_tests")
    from octavo.integrations.langchain import OctavoStore

    for suite in (suites.BaseStoreSyncTests, suites.BaseStoreAsyncTests):
        for name in sorted(name for name in dir(suite) if name.startswith("test_")):
            with octavo.open(tmp_path / suite.__name__ / f"{name}.db", create=True) as empty:
                values = {"kv_store": OctavoStore(empty), "three_values": ("one", "two", "# three\n\nand more")}
                test = getattr(suite(), name)
                asked = signature(test).parameters
                outcome = test(**{parameter: values[parameter] for parameter in asked})
                if iscoroutine(outcome):
                    asyncio.run(outcome)


def test_what_a_store_of_langchain_holds_is_found_and_what_it_deletes_is_not(tmp_path: Path) -> None:
    pytest.importorskip("langchain_core")
    from octavo.integrations.langchain import OctavoStore

    with octavo.open(tmp_path / "library.db", create=True) as library:
        store = OctavoStore(library)
        store.mset([("rules/trees", NOTES["apples.md"])])
        assert [memory.title for memory in library.recall(QUERY).memories] == ["Apple trees"]
        store.mdelete(["rules/trees"])
        assert not library.recall(QUERY).memories


def test_nodes_of_llamaindex_are_the_chunks_of_a_library(library: octavo.Library) -> None:
    schema = pytest.importorskip("llama_index.core").schema
    from octavo.integrations.llama_index import OctavoNodeParser

    text = NOTES["apples.md"]
    (node,) = OctavoNodeParser().get_nodes_from_documents([schema.Document(text=text, metadata={"file_name": "a.md"})])
    (chunk,) = library.doc.inspect("apples.md").passages
    assert (node.metadata["start_line"], node.metadata["end_line"]) == (chunk.start_line, chunk.end_line)
    assert node.text == text[node.metadata["start"] : node.metadata["end"]] and node.metadata["file_name"] == "a.md"
    long = "# Trees\n\n" + "".join(f"## Tree {n}\n\n{'It needs water and light. ' * 40}\n\n" for n in range(9))
    nodes = OctavoNodeParser().get_nodes_from_documents([schema.Document(text=long)])
    assert len(nodes) > 3 and nodes[-1].metadata["heading_path"] == ["Trees", "Tree 8"]
    assert nodes[1].prev_node.node_id == nodes[0].node_id and all(node.text in long for node in nodes)


def test_a_retriever_of_llamaindex_gives_the_same_hits(library: octavo.Library) -> None:
    pytest.importorskip("llama_index.core")
    from octavo.integrations.llama_index import LlamaIndexRetriever

    nodes = LlamaIndexRetriever(library, limit=2).retrieve(QUERY)
    hits = library.search(QUERY, limit=2).hits
    assert [(node.node.get_content(), node.score) for node in nodes] == [(hit.excerpt, hit.score) for hit in hits]
    check(nodes[0].node.metadata, hits[0])


def test_a_component_of_haystack_gives_the_same_hits(library: octavo.Library) -> None:
    haystack = pytest.importorskip("haystack")
    from octavo.integrations.haystack import HaystackRetriever

    pipeline = haystack.Pipeline()
    pipeline.add_component("retriever", HaystackRetriever(library, top_k=2))
    documents = pipeline.run({"retriever": {"query": QUERY}})["retriever"]["documents"]
    hits = library.search(QUERY, limit=2).hits
    assert [document.content for document in documents] == [hit.excerpt for hit in hits]
    check(documents[0].meta, hits[0])


def test_an_agent_of_pydantic_ai_searches_with_its_tools(library: octavo.Library) -> None:
    ai = pytest.importorskip("pydantic_ai")
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    from octavo.integrations.agent_tools import pydantic_ai_tools

    def scripted(messages: list[Any], about: object) -> ModelResponse:
        last = messages[-1].parts[-1]
        answered = last.part_kind == "tool-return"
        part = TextPart(last.content) if answered else ToolCallPart("search", {"query": QUERY})
        return ModelResponse(parts=[part])

    tools = pydantic_ai_tools(library)
    assert {tool.name for tool in tools} == set(library.tools().names)
    assert "apples.md" in ai.Agent(FunctionModel(scripted), tools=tools).run_sync(QUERY).output
    (tool,) = pydantic_ai_tools(library, "projects_resolve")
    assert "elsewhere" in tool.function(name="elsewhere"), "an argument may be called as the function's own is"


def test_an_agent_of_openais_agents_searches_with_its_tools(library: octavo.Library) -> None:
    agents = pytest.importorskip("agents", reason="openai-agents")
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage

    from octavo.integrations.agent_tools import openai_agents_tools

    class Scripted(agents.Model):  # type: ignore[misc, name-defined]
        async def get_response(self, *, input: Any, **others: object) -> Any:
            if isinstance(input, list) and input[-1].get("type") == "function_call_output":
                text = {"type": "output_text", "text": input[-1]["output"], "annotations": []}
                message = {"id": "1", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
                step: Any = ResponseOutputMessage.model_validate(message)
            else:
                call = {"type": "function_call", "call_id": "1", "name": "search"}
                step = ResponseFunctionToolCall.model_validate({**call, "arguments": json.dumps({"query": QUERY})})
            return agents.ModelResponse(output=[step], usage=agents.Usage(), response_id=None)

        def stream_response(self, *others: object, **more: object) -> Any:
            raise NotImplementedError

    tools = openai_agents_tools(library)
    assert {tool.name for tool in tools} == set(library.tools().names)
    agents.set_tracing_disabled(True)
    run = agents.Runner.run(agents.Agent(name="reader", model=Scripted(), tools=tools), QUERY)
    assert "apples.md" in asyncio.run(run).final_output


def test_agents_of_smolagents_search_with_their_tools(library: octavo.Library) -> None:
    smolagents = pytest.importorskip("smolagents")
    from smolagents import models

    from octavo.integrations.agent_tools import smolagents_tools

    def message(content: str = "", **call: Any) -> Any:
        function = models.ChatMessageToolCallFunction(**call) if call else None
        calls = [models.ChatMessageToolCall(id="1", type="function", function=function)] if function else None
        return models.ChatMessage(role=models.MessageRole.ASSISTANT, content=content, tool_calls=calls)

    class Writing(smolagents.Model):  # type: ignore[misc, name-defined]
        def generate(self, messages: list[Any], **about: object) -> Any:
            return message(f"<code>\nfinal_answer(search(query={QUERY!r}))\n</code>")

    class Calling(smolagents.Model):  # type: ignore[misc, name-defined]
        def generate(self, messages: list[Any], **about: object) -> Any:
            if "apples.md" in (told := str(messages[-1].content)):
                return message(name="final_answer", arguments={"answer": told})
            return message(name="search", arguments={"query": QUERY})

    tools = smolagents_tools(library)
    assert {tool.name for tool in tools} == set(library.tools().names)
    for agent, model in ((smolagents.CodeAgent, Writing()), (smolagents.ToolCallingAgent, Calling())):
        assert "apples.md" in agent(tools=tools, model=model, verbosity_level=0, max_steps=3).run(QUERY)


def test_the_encoder_is_a_model_of_mteb_that_solves_its_tasks_offline(library: octavo.Library, tmp_path: Path) -> None:
    mteb = pytest.importorskip("mteb")
    tasks = pytest.importorskip("mteb.mocks.mock_tasks")
    from octavo.integrations.mteb import OctavoEncoder

    model = OctavoEncoder(library)
    assert isinstance(model, mteb.models.EncoderProtocol)
    cache = mteb.ResultCache(tmp_path)
    for task in (tasks.MockRetrievalTask(), tasks.MockSTSTask()):
        (result,) = mteb.evaluate(model, task, cache=cache, co2_tracker=False).task_results
        assert 0 < result.get_score() <= 1


def test_nothing_of_octavo_imports_an_integration() -> None:
    sources = Path(octavo.__file__).parent
    inside = [path for path in sources.rglob("*.py") if sources / "integrations" not in path.parents]
    assert [path.name for path in inside if "octavo.integrations" in path.read_text("utf-8")] == []
