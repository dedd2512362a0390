"""What `--json` prints is what HTTP answers: both are the operation's answer."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest
from cli_calls import Octavo, Vault
from http_calls import in_process

_TIMES = ("took_ms", "age_seconds")
_ALL = 100_000


def _untimed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _untimed(one) for name, one in value.items() if name not in _TIMES}
    return [_untimed(one) for one in value] if isinstance(value, list) else value


def _printed(octavo: Octavo, *arguments: str) -> Any:
    result = octavo(*arguments, "--json")
    assert result.exit_code in (0, 1), result.output
    return _untimed(json.loads(result.stdout))


def _answered(vault: Vault, operation: str, arguments: dict[str, Any]) -> Any:
    told: list[Any] = []

    async def talk(client: httpx2.AsyncClient) -> None:
        response = await client.post(f"/v1/{operation}", json=arguments)
        assert response.status_code == 200, response.text
        told.append(_untimed(response.json()))

    in_process(vault.library, talk)
    return told[0]


@pytest.mark.parametrize(
    ("command", "operation", "arguments"),
    [
        (["search", "pruning", "--explain"], "search", {"query": "pruning", "explain": True, "max_tokens": _ALL}),
        (["search", "東京", "-n", "1", "--explain"], "search", {"query": "東京", "limit": 1, "explain": True}),
        (["status"], "status", {}),
        (["doctor"], "doctor", {"deep": True}),
        (["projects", "list"], "projects_list", {}),
        (["recall", "apples"], "recall", {"query": "apples"}),
        (["profiles", "list"], "profiles_list", {}),
        (["graph", "communities"], "graph_communities", {}),
    ],
)
def test_a_command_prints_what_http_answers(
    vault: Vault, octavo: Octavo, command: list[str], operation: str, arguments: dict[str, Any]
) -> None:
    assert _printed(octavo, *command) == _answered(vault, operation, arguments)


def test_without_explain_a_command_leaves_out_the_trace_and_http_the_steps_too(vault: Vault, octavo: Octavo) -> None:
    printed = _printed(octavo, "search", "pruning")
    assert "trace" not in printed
    assert all(hit.pop("steps") for hit in printed["hits"])
    assert printed == _answered(vault, "search", {"query": "pruning"})


def test_problems_are_the_same_in_both(vault: Vault, octavo: Octavo) -> None:
    printed = _printed(octavo, "status", "--problems")
    assert printed["problems"] == _answered(vault, "status", {"problems": True})["problems"]


def test_a_query_too_long_to_repeat_is_left_out_of_the_answer(vault: Vault) -> None:
    told = _answered(vault, "search", {"query": "pruning " * 500, "max_tokens": 500})
    assert "query" not in told
    assert len(json.dumps(told, ensure_ascii=False).encode()) <= 500 * 4
