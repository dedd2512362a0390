"""`/metrics` and `/health` of a worker, which serves nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from octavo.errors import Busy, OctavoError


@contextmanager
def metrics_served(host: str, port: int, told: Callable[[], str]) -> Iterator[int]:
    """Answers from threads of its own until left; the port, where any free one would do. `told` writes the metrics."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, text = 404, "there are /metrics and /health\n"
            try:
                if self.path == "/health":
                    status, text = 200, "ok\n"
                elif self.path == "/metrics":
                    status, text = 200, told()
            except OctavoError as error:
                status, text = 503, f"{error.message}\n"
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *values: object) -> None:
            """Supervisors ask every few seconds: nobody wants to read of it."""

    try:
        server = ThreadingHTTPServer((host, port), Handler)
    except OSError as error:
        place = f"{host} port {port}"
        raise Busy(f"{place} cannot be listened on: {error.strerror or error}", hint="choose another port") from error
    thread = threading.Thread(target=server.serve_forever, name="octavo-metrics", daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
