"""Connect to an assignment in Canvas's web service, without sending the token over unencrypted networks."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.platforms.common.platform_model import ExportOptions

if TYPE_CHECKING:
    from autograder.platforms.canvas.assignment_service import CanvasAssignmentClient

TOKEN_VARIABLE = "CANVAS_TOKEN"
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts that may be contacted without encryption, because the traffic does not leave this machine."""


def connect_to_canvas_assignment(options: ExportOptions) -> CanvasAssignmentClient:
    """Return the service that the settings name, ready to be asked.

    Raises:
        CallerFault: canvasapi, a setting or the token is missing or malformed, or Canvas refuses access.
    """
    if find_spec("canvasapi") is None:
        raise CallerFault("the package canvasapi is not installed", advice=advise_to_install_extra("canvas"))
    from autograder.platforms.canvas.assignment_service import CanvasAssignmentClient

    settings = {key: options.settings.get(key, "").strip() for key in ("url", "course", "assignment")}
    for key, value in settings.items():
        if not value or (key != "url" and not re.fullmatch("[0-9]+", value)):
            problem = f"the {key} '{value}' is not a number" if value else f"missing setting --set {key}=..."
            raise CallerFault(problem, "--set" if value else "", "copy it from the address of the assignment's page")
    address = urlsplit(settings["url"])
    if address.scheme != "https" and not (address.scheme == "http" and address.hostname in LOCAL_HOSTS):
        location = f"--set url={settings['url']}"
        raise CallerFault("the address does not begin with https://", location, "copy it as the browser shows it")
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        advice = "make one in Canvas: Account, Settings, New Access Token; it never belongs on a command line"
        problem = "the access token holds characters that no token has" if token else "the access token is not set"
        raise CallerFault(problem, TOKEN_VARIABLE, advice)
    base_url = f"{address.scheme}://{address.netloc}"
    return CanvasAssignmentClient(base_url, token, settings["course"], settings["assignment"])
