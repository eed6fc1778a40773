"""Send what waits in a store until killed, as ``autograder serve --only outbox`` does, but with short waits.

``python -m tests.web.lti.sending_process STORE_URL KEYS_FOLDER``
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

from autograder.store.connection import make_store_url
from autograder.web.lti import mark_sender, results
from autograder.web.lti.http import HttpClient
from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.lti.tool import AccessTokenProvider, LtiTool, PlatformKeyCache, ToolSigningKeyFile
from autograder.web.store.server_store import open_or_create_store
from tests.machine import PATIENCE


def shorten_waits() -> None:
    results.FIRST_SECONDS, results.LONGEST_SECONDS = 0.05, 1.0
    results.GROWTH = 1.5
    mark_sender.PAUSE *= 0.01


def make_test_tool(folder: Path, read_seconds: float = PATIENCE) -> LtiTool:
    """The tool, with keys of its own."""
    keys, http = ToolSigningKeyFile(folder), HttpClient(read_seconds=read_seconds)
    return LtiTool(keys, http, PlatformKeyCache(http), AccessTokenProvider(keys, http))


def main(url: str, folder: str) -> None:
    shorten_waits()
    tool = make_test_tool(Path(folder), 3.0)
    with open_or_create_store(make_store_url(Path(folder), url)) as store:
        store.mark_outbox.expire_leases_of_worker("sender")
        sender = QueuedMarkSender(store, "", tool, "sender")
        while True:
            if not sender.try_process_next_mark():
                time.sleep(0.02)


if __name__ == "__main__":
    logging.disable()
    main(*sys.argv[1:])
