"""Uploads are read apart from the process that answers pages, within limits; receipts have their time of arrival."""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import waitress

from autograder.course import load_course
from autograder.submissions import UngradableSubmission, read_submission
from autograder.web import uploads
from autograder.web.request import ARRIVED_AT
from autograder.web.server import BoundedChannel
from autograder.web.uploads import MOST_AT_ONCE, ReadingStopped, read_apart, reading_for
from tests.toy import RIGHT
from tests.web.conftest import Site, wait_until


def test_a_file_is_read_in_another_process_and_what_is_wrong_with_it_comes_back(site: Site, tmp_path: Path) -> None:
    assert read_apart(os.getpid) not in (os.getpid(), os.getppid())
    (tmp_path / "value.py").write_text("")
    with pytest.raises(UngradableSubmission) as refused:
        read_apart(read_submission, tmp_path / "value.py", load_course(site.settings.course).assignments[0])
    assert (refused.value.reason, refused.value.files) == ("empty", ("value.py",))


def test_a_reader_that_ends_is_replaced() -> None:
    for _ in range(2 * uploads.READERS):
        with pytest.raises(ReadingStopped):
            read_apart(os.abort)
    assert read_apart(os.getpid)


def test_a_reader_has_so_much_cpu_time_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "CPU_SECONDS", 1)
    with pytest.raises(ReadingStopped):
        read_apart(exec, "while True: pass")
    with pytest.raises(ReadingStopped):
        read_apart(bytearray, 16 << 30)


def test_no_upload_is_read_in_the_process_of_the_pages(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_here(*_: object) -> None:
        raise AssertionError("this process answers pages")

    ada = site.browser("ada")
    monkeypatch.setattr("autograder.submissions.submission_reading.read_gradable_submission", read_here)
    assert ada.hand_in(RIGHT).status_code == 303
    assert ada.hand_in("# nothing", "value.zip").status_code == 422
    assert site.browser("tess").get("/class/toy/similar").status_code == 200


def test_what_stops_the_reader_is_refused_with_a_sentence(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise ReadingStopped("exit code -24")

    ada, before = site.browser("ada"), site.hand_ins()
    monkeypatch.setattr(uploads, "read_apart", stop)
    refused = ada.hand_in(RIGHT)
    assert (refused.status_code, site.hand_ins()) == (422, before)
    assert "value.py takes too long to be read. Hand in your own code alone" in refused.text


def test_a_person_has_few_files_read_at_once(site: Site) -> None:
    ada = site.browser("ada")
    account: int = site.in_store(lambda store: store.accounts.upsert_enrolment("", "ada", "student").account)
    with reading_for(account), reading_for(account):
        assert MOST_AT_ONCE == 2
        assert ada.hand_in(RIGHT).status_code == 429
        assert site.browser("bob").hand_in(RIGHT).status_code == 303
    assert ada.hand_in(RIGHT).status_code == 303


def test_a_receipt_has_the_time_of_arrival(site: Site) -> None:
    ada, arrived_at = site.browser("ada"), time.time() - 90
    ada.client.environ_base |= {ARRIVED_AT: arrived_at}  # type: ignore[dict-item]
    assert ada.hand_in(RIGHT + "# then").status_code == 303
    assert site.hand_ins()[-1].handed_in == datetime.fromtimestamp(arrived_at, UTC)


def test_a_request_that_waits_for_a_thread_has_the_time_at_which_its_last_byte_came() -> None:
    arrivals: list[float] = []
    is_released = threading.Event()

    def answer(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        arrivals.append(environ[ARRIVED_AT])
        is_released.wait(60)
        start_response("200 OK", [])
        return [b""]

    server: Any = waitress.create_server(answer, host="127.0.0.1", port=0, threads=1)
    server.channel_class = BoundedChannel
    threading.Thread(target=server.run, daemon=True).start()
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"
    with ExitStack() as opened:
        for _ in range(2):
            client = opened.enter_context(socket.create_connection(("127.0.0.1", int(server.effective_port)), 60))
            client.sendall(request)
        wait_until(lambda: len(server.task_dispatcher.queue) == 1 and len(arrivals) == 1, "one waits for the other")
        time_of_arrival = time.time()
        time.sleep(0.05)
        is_released.set()
        client.recv(1000)
    assert arrivals[1] <= time_of_arrival
