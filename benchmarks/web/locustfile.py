"""What students do in the last minute before a deadline, for Locust; ``benchmarks.web.load`` runs it.

Each student opens the list of assignments and the assignment, hands in once, and looks at the page of the hand-in
as often as that page says, until the result is there. Before each page, it asks for a file that needs no work: the
floor that the machine has at this moment.
"""

# mypy: ignore-errors
# ruff: noqa: D101, D102  (Locust loads this file by its path, in an environment of its own)

import json
import os
import random
import re
import time
from itertools import count
from pathlib import Path

from locust import FastHttpUser, constant, task
from locust.exception import StopUser

PLAN = json.loads(Path(os.environ["LOAD_PLAN"]).read_text(encoding="utf-8"))
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
WAITS = re.compile(r'http-equiv="refresh" content="(\d+)"')
UNANSWERED = 'http-equiv="refresh" content="3"'
numbers = count()


class Student(FastHttpUser):
    wait_time = constant(0)

    def on_start(self) -> None:
        self.student = PLAN["students"][next(numbers)]
        self.headers = {PLAN["header"]: self.student["login"]}
        self.begins = random.Random(self.student["login"]).uniform(0, PLAN["seconds"])

    def look(self, path: str) -> str:
        self.client.get("/static/site.css", name="floor")
        return self.client.get(path, headers=self.headers, name="page").text or UNANSWERED

    @task
    def hand_in_before_the_deadline(self) -> None:
        time.sleep(self.begins)  # gevent's: other students go on
        self.look("/")
        path = f"/assignments/{PLAN['assignment']}"
        form = self.look(path)
        fields = {"csrf_token": TOKEN.search(form)[1], "code": Path(self.student["file"]).read_text(encoding="utf-8")}
        with self.client.post(
            path, data=fields, headers=self.headers, name="receipt", allow_redirects=False, catch_response=True
        ) as answer:
            if answer.status_code != 303:
                answer.failure(f"no receipt: {answer.status_code}")
                raise StopUser
            receipt = answer.headers["Location"]
        while waits := WAITS.search(self.look(receipt)):
            time.sleep(int(waits[1]))
        raise StopUser
