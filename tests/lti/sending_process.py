"""Send what waits in a store until killed, as ``autograder serve --only outbox`` does, but with short waits.

``python -m tests.lti.sending_process STORE_URL KEYS_FOLDER [ACCIDENTS]``; the last says how often something happens
to a message on its way to a real platform, from 0 to 1.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

from autograder.lti import back_off, mark_sender
from autograder.lti.access_tokens import AccessTokens
from autograder.lti.http_client import HttpClient
from autograder.lti.mark_sender import MarkSender
from autograder.lti.platform_keys import PlatformKeys
from autograder.lti.tool import LtiTool
from autograder.lti.tool_keys import ToolKeys
from autograder.store.connection import make_store_url
from autograder.store.database import open_store
from tests.lti.faulty_http import FaultyHttp


def shorten_waits() -> None:
    back_off.FIRST_SECONDS, back_off.LONGEST_SECONDS = 0.05, 1.0
    back_off.GROWTH = 1.5
    mark_sender.PAUSE *= 0.01


def make_test_tool(folder: Path, read_seconds: float = 0.4, http: HttpClient | None = None) -> LtiTool:
    """The tool, less patient."""
    keys, http = ToolKeys(folder), http or HttpClient(read_seconds=read_seconds)
    return LtiTool(keys, http, PlatformKeys(http), AccessTokens(keys, http))


def main(url: str, folder: str, accidents: str = "") -> None:
    shorten_waits()
    http = FaultyHttp(float(accidents), seed=time.monotonic_ns()) if accidents else None
    tool = make_test_tool(Path(folder), http=http)
    with open_store(make_store_url(Path(folder), url)) as store:
        store.mark_outbox.release_claims_of_worker("sender")
        sender = MarkSender(store, "", tool, "sender")
        while True:
            if not sender.send_next():
                time.sleep(0.02)


if __name__ == "__main__":
    logging.disable()
    main(*sys.argv[1:])
