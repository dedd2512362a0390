"""HTTP connections that close when a request's headers do not arrive in time."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADER_SECONDS = 15.0


class HeaderTimeoutProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type, unused-ignore]
    """uvicorn's protocol, which would wait for the end of the headers for ever, with a time limit on that."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_headers()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._waits_for_headers():
            self._expect_headers()
        else:
            self._stop_expecting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_expecting()
        super().connection_lost(exc)

    def _waits_for_headers(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect_headers(self) -> None:
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().call_later(HEADER_SECONDS, self._give_up)

    def _stop_expecting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self._waits_for_headers() and not self.transport.is_closing():
            self.transport.close()
