"""Serve an application at this machine: the course on the web, or what stands in for a platform."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask
from werkzeug.serving import make_server


@contextmanager
def serve_app(app: Flask, port: int = 0) -> Iterator[str]:
    """Serve an application, at any port that is free if none is given, and give its address.

    It looks every 20 ms whether it should end: hundreds of tests wait for that.
    """
    server = make_server("127.0.0.1", port, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
