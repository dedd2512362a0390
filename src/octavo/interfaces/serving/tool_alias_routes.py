"""Routes under other programs' names, where a set of their tools is chosen: `POST /query_documents_compressed`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from octavo.interfaces.http.client_disconnects import while_wanted
from octavo.interfaces.http.routes import Endpoint, body_arguments
from octavo.interfaces.operation_threads import Calls

if TYPE_CHECKING:
    from octavo.interfaces.mcp.tool_aliases.alias import Alias


def alias_routes(calls: Calls, seeds: Sequence[Alias]) -> Iterator[Route]:
    """One for each tool, with its arguments as the body and its payload as the answer."""
    for alias in seeds:
        yield Route(f"/{alias.called(dotted=False)}", _endpoint(calls, alias), methods=["POST"])


def _endpoint(calls: Calls, alias: Alias) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        arguments = await body_arguments(request)

        async def answered() -> Response:
            return JSONResponse(await calls.work(lambda engine: alias.answered(engine, arguments, None)))

        return await (while_wanted(request, answered()) if alias.of.annotations.read_only else answered())

    return endpoint
