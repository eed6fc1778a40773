"""Between the tool and a real platform: requests about marks are lost, refused or late, as often as a test says."""

from __future__ import annotations

import random
import threading
from contextlib import suppress
from typing import Any, Literal

from autograder.faults import KitFault
from autograder.web.lti.http import HttpClient, HttpResponse, UnansweredRequest

Accident = Literal["drop before", "drop after", "late", "403", "409", "429", "503"]
ACCIDENTS: tuple[Accident, ...] = ("drop before", "drop after", "late", "403", "409", "429", "503")
LATE_SECONDS = 1.5


class FaultyHttp(HttpClient):
    """Sends requests, but for some of those about marks.

    Attributes:
        rate: how often something happens, from 0 to 1.
        next: what happens to the next messages with a mark, in order, before chance decides.
        happened: what happened so far.
    """

    def __init__(self, rate: float = 0.0, seed: int = 7, read_seconds: float = 30.0) -> None:
        super().__init__(read_seconds=read_seconds)
        self.rate, self.next = rate, list[Accident]()
        self.happened: list[Accident] = []
        self._chance = random.Random(seed)

    def send(self, method: str, url: str, **values: Any) -> HttpResponse:
        path = url.partition("?")[0]
        if not path.endswith(("/scores", "/results")):
            return super().send(method, url, **values)
        accident: Accident | None = self.next.pop(0) if self.next and method == "POST" else None
        if accident is None and self._chance.random() < self.rate:
            accident = self._chance.choice(ACCIDENTS)
        if accident is None:
            return super().send(method, url, **values)
        self.happened.append(accident)
        if accident == "late" and method == "POST":
            threading.Timer(LATE_SECONDS, self._send_late, [method, url, values]).start()
        elif accident == "drop after":
            super().send(method, url, **values)
        if accident.isdigit():
            body = b"403 Forbidden (Rate Limit Exceeded)" if accident == "403" else b"[]"
            return HttpResponse(int(accident), {"retry-after": "0"}, body)
        raise UnansweredRequest("gives no answer: an accident of the test", path, may_have_arrived=True)

    def _send_late(self, method: str, url: str, values: Any) -> None:
        with suppress(KitFault):
            super().send(method, url, **values)
