"""What goes wrong between browser and server is explained in a student's words."""

from __future__ import annotations

from waitress.adjustments import Adjustments

from autograder.web.server import BoundedRequestParser
from tests.web.conftest import Site


def test_a_form_that_is_out_of_date_is_explained(site: Site) -> None:
    answer = site.browser("ada").client.post("/assignments/toy", data={"csrf_token": "old", "code": "x"})
    assert (answer.status_code, "This form is out of date" in answer.text) == (400, True)
    assert "CSRF" not in answer.text


def test_the_address_of_a_form_is_explained(site: Site) -> None:
    answer = site.browser("ines").get("/class/toy/students/ada/points")
    assert (answer.status_code, "This page opens from a form" in answer.text) == (405, True)


def test_a_body_that_is_not_read_is_refused_in_words_for_a_student() -> None:
    request = BoundedRequestParser(Adjustments(max_request_body_size=100))
    request.received(b"POST /assignments/toy HTTP/1.1\r\nContent-Length: 1000\r\n\r\n")
    assert request.error is not None
    assert request.error.code == 413
    assert "your own code alone" in request.error.body


def test_who_tries_too_often_is_told_what_to_do(site: Site) -> None:
    ada = site.browser("ada")
    answers = [ada.hand_in("") for _ in range(11)]
    assert (answers[-1].status_code, "Wait a minute" in answers[-1].text) == (429, True)
