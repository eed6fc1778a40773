"""Mails: queued with what they tell, sent by the worker to a real server, turned off by student and course."""

from __future__ import annotations

import email.policy
import re
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from autograder.faults import CallerFault
from autograder.web import settings
from autograder.web.mail import QueuedMailSender
from autograder.web.settings import SmtpServerSettings, is_mail_address, parse_smtp_server_settings
from autograder.web.store.hand_ins import NewHandIn
from autograder.web.store.mails import MOST_TRIES, SENDING, compute_retry_delay
from autograder.web.store.server_store import ServerStore, open_server_store
from tests.toy import HALF, RIGHT
from tests.web.conftest import Site, command, grade_all, make_site, wait_until

ADDRESS = "ada@uni.example"


@dataclass
class Inbox:
    """Takes mail as an SMTP server does, and answers as it is told."""

    answers: list[str] = field(default_factory=list)
    mails: list[tuple[str, EmailMessage]] = field(default_factory=list)
    port: int = 0

    async def handle_RCPT(self, *said: Any) -> str:  # noqa: N802
        *_, envelope, address, _options = said
        if self.answers:
            return self.answers.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        parsed = BytesParser(EmailMessage, policy=email.policy.default).parsebytes(envelope.content)
        assert isinstance(parsed, EmailMessage)
        self.mails.extend((address, parsed) for address in envelope.rcpt_tos)
        return "250 OK"


@pytest.fixture
def inbox(free_port: int) -> Iterator[Inbox]:
    inbox = Inbox(port=free_port)
    server = Controller(inbox, hostname="127.0.0.1", port=free_port)
    server.start()
    yield inbox
    server.stop()


@pytest.fixture
def mailing(site: Site, inbox: Inbox) -> Site:
    """A server that sends mail; Ada and Cy have addresses, the others have none."""
    server = SmtpServerSettings("127.0.0.1", inbox.port, is_tls=False, user="", sender="grader@uni.example")
    with open_server_store(site.settings.location) as store:
        for login, address in (("ada", ADDRESS), ("cy", "cy@uni.example")):
            person = store.accounts.find_enrolment("", login)
            assert person is not None
            store.mail_settings.save_address(person.account, address)
    return Site(replace(site.settings, mail_server=server, public_url="https://grader.example"))


def send(site: Site) -> int:
    assert site.settings.mail_server is not None
    sender = QueuedMailSender(site.settings, site.settings.mail_server, threading.Event())
    count: int = site.in_store(sender.send_due_mails)
    return count


def browse(site: Site, login: str) -> Any:
    """A browser that comes to the server under its name, by TLS."""
    opened = site.browser()
    opened.client.environ_base |= {"HTTP_HOST": "grader.example", "wsgi.url_scheme": "https"}
    opened.headers["Referer"] = "https://grader.example/"
    assert opened.post(site.invite(login)).status_code == 303
    return opened


def subjects(inbox: Inbox) -> list[tuple[str, str]]:
    return [(address, str(mail["Subject"])) for address, mail in inbox.mails]


def test_a_receipt_comes_at_once_and_the_result_once_it_is_there(mailing: Site, inbox: Inbox) -> None:
    ada = browse(mailing, "ada")
    key = ada.hand_in(HALF + "# third").headers["Location"]
    assert send(mailing) == 1
    assert subjects(inbox) == [(ADDRESS, "Handed in: toy, attempt 3")]
    text = inbox.mails[0][1].get_content()
    assert f"https://grader.example{key}" in text
    assert re.search(r"SHA-256: [0-9a-f]{64}", text)
    assert send(mailing) == 0
    grade_all(make_site(mailing.settings.course.parent))
    assert send(mailing) == 1
    assert subjects(inbox)[1:] == [(ADDRESS, "Your result: toy, attempt 3")]
    text = inbox.mails[1][1].get_content().replace(f"https://grader.example{key}", "")
    assert re.findall(r"\d+", text.partition("-- ")[0]) == ["3"]  # the attempt, and nothing of the result


def test_a_result_waits_until_students_may_see_it(mailing: Site, inbox: Inbox) -> None:
    config = mailing.settings.course / "grading.yml"
    config.write_text(config.read_text() + "    feedback: {results: after_published}\n")
    site = Site(mailing.settings)
    browse(site, "ada").hand_in(RIGHT + "# third")
    grade_all(make_site(site.settings.course.parent))
    assert send(site) == 1
    assert browse(site, "ines").post("/class/toy/publish", page="/class/toy").status_code == 303
    assert send(site) == 0  # it was put off for a minute

    def make_due(store: Any) -> None:
        from sqlalchemy import update

        from autograder.store.tables import utc_now
        from autograder.web.store.tables import mails

        store.mails._session.execute(update(mails).where(mails.c.kind == "result").values(due_at=utc_now()))

    site.in_store(make_due)
    assert send(site) == 1
    assert subjects(inbox)[-1] == (ADDRESS, "Your result: toy, attempt 3")


def test_every_member_of_a_team_gets_the_answer_to_its_question(mailing: Site, inbox: Inbox) -> None:
    asked = browse(mailing, "di").post(f"/hand-ins/{mailing.key('cy + di-1')}/ask", text="why?")
    page = asked.headers["Location"]
    assert send(mailing) == 0  # a question is shown to the staff on its page
    seen = re.search(r'name="seen" value="(\d+)"', browse(mailing, "tess").get(page).text)
    assert seen is not None
    answered = browse(mailing, "tess").post(f"{page}/answer", page=page, text="7 points, secret", seen=seen[1])
    assert answered.status_code == 303
    assert send(mailing) == 1  # Di has no address
    assert subjects(inbox) == [("cy@uni.example", "An answer to your question: toy, attempt 1")]
    assert f"https://grader.example{page}" in inbox.mails[0][1].get_content()
    assert "secret" not in inbox.mails[0][1].get_content()


def test_the_staff_invites_people_by_mail_and_the_link_signs_in(mailing: Site, inbox: Inbox) -> None:
    ines = browse(mailing, "ines")
    page = ines.post("/people/chosen", page="/people", do="invite", chosen=["ada", "bob"]).text
    assert "2 people invited, 1 of them by mail." in page
    assert len(re.findall(r"/link/[\w-]{43}", page)) == 1  # of Bob, whose address nobody knows
    assert ines.post("/people/at/ada/mail", page="/people/at/ada").status_code == 303
    assert ines.post("/people/at/bob/mail", page="/people/at/bob").status_code == 409
    assert send(mailing) == 2
    assert subjects(inbox) == [(ADDRESS, "Your account for Autograder")] * 2
    link = re.search(r"https://grader\.example(/link/[\w-]{43})", inbox.mails[0][1].get_content())
    assert link
    assert mailing.browser().get(link[1], base_url="https://grader.example").status_code == 200


def test_a_student_turns_mails_off_and_on(mailing: Site, inbox: Inbox) -> None:
    ada = browse(mailing, "ada")
    assert ADDRESS in ada.get("/account").text
    assert ada.post("/account/mail", page="/account", wanted=["result", "answer"]).status_code == 303
    ada.hand_in(HALF + "# third")
    assert send(mailing) == 0
    assert 'value="receipt"> ' in ada.get("/account").text
    ada.post("/account/mail", page="/account", wanted=["receipt"])
    ada.hand_in(HALF + "# fourth")
    assert send(mailing) == 1


def test_a_course_turns_mails_off(mailing: Site) -> None:
    config = mailing.settings.course / "grading.yml"
    config.write_text(f"mail: {{receipt: false, result: false}}\n{config.read_text()}")
    site = Site(mailing.settings)
    ada = browse(site, "ada")
    assert 'value="receipt"' not in ada.get("/account").text
    ada.hand_in(HALF + "# third")
    assert site.in_store(lambda store: store.mails.count_by_state("")) == {}


def test_without_a_mail_server_nothing_is_queued(site: Site) -> None:
    ada = site.browser("ada")
    ada.hand_in(HALF + "# third")
    assert site.in_store(lambda store: store.mails.count_by_state("")) == {}
    assert "sends no mail" in ada.get("/account").text


def test_a_server_that_is_away_loses_no_mail_and_holds_up_no_page(mailing: Site, inbox: Inbox) -> None:
    nobody = SmtpServerSettings("127.0.0.1", 9, is_tls=False, user="", sender="g@uni.example")
    away = replace(mailing.settings, mail_server=nobody)
    assert browse(Site(away), "ada").hand_in(HALF + "# third").status_code == 303
    assert send(Site(away)) == 0
    counts = mailing.in_store(lambda store: store.mails.count_by_state(""))
    assert counts == {"waiting": 2}
    faults = mailing.in_store(lambda store: store.faults.list_latest_faults("", 1))
    assert "ConnectionRefusedError" in faults[0].text
    assert "2 waiting, 0 sent, 0 failed" in browse(mailing, "root").get("/health").text


def test_no_mail_leaves_this_machine_unencrypted(
    mailing: Site, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "LOOPBACK", ())  # as if the server were another machine; it offers no STARTTLS
    browse(mailing, "ada").hand_in(HALF + "# third")
    assert send(mailing) == 0
    assert inbox.mails == []
    (fault,) = mailing.in_store(lambda store: store.faults.list_latest_faults("", 9))
    assert "STARTTLS" in fault.text


@pytest.mark.thorough
def test_the_worker_sends_what_waits(mailing: Site, inbox: Inbox) -> None:
    browse(mailing, "ada").hand_in(HALF + "# third")
    smtp = ["--smtp", f"smtp://127.0.0.1:{inbox.port}", "--mail-from", "grader@uni.example"]
    plain = make_site(mailing.settings.course.parent)
    with subprocess.Popen(command(plain.settings, "--only", "worker", *smtp), stdin=subprocess.PIPE) as worker:
        wait_until(lambda: len(inbox.mails) == 2, "receipt and result are sent")
        worker.terminate()
    assert {str(mail["Subject"]).partition(":")[0] for _, mail in inbox.mails} == {"Handed in", "Your result"}


def test_a_mail_that_a_killed_worker_was_at_is_sent_by_the_next_under_the_same_id(mailing: Site) -> None:
    browse(mailing, "ada").hand_in(HALF + "# third")
    now = datetime.now(UTC)
    with open_server_store(mailing.settings.location) as store:
        taken = store.mails.try_claim_due_mail("", now)
        assert taken is not None
        assert store.mails.try_claim_due_mail("", now) is None  # nobody sends it meanwhile
        again = store.mails.try_claim_due_mail("", now + SENDING)
        assert again is not None
        assert again.key == taken.key


def put_off(store: ServerStore, now: datetime, tries: int) -> None:
    """Have a mail wait after so many tries, as a refusal for now does."""
    for number in range(1, tries + 1):
        mail = store.mails.try_claim_due_mail("", now)
        assert mail is not None
        store.mails.put_off(mail, now + (compute_retry_delay(tries) if number == tries else timedelta(0)))


@pytest.mark.first_cases(1)
@pytest.mark.parametrize("put_back", [timedelta(hours=1), timedelta(days=400)], ids=["hour", "year"])
@pytest.mark.parametrize("tries", [0, 3])
def test_a_mail_queued_or_put_off_before_the_clock_was_put_back_is_not_kept_until_the_old_time(
    mailing: Site, tries: int, put_back: timedelta
) -> None:
    browse(mailing, "ada").hand_in(HALF + "# third")
    now = datetime.now(UTC)
    with open_server_store(mailing.settings.location) as store:
        put_off(store, now, tries)
        assert store.mails.try_claim_due_mail("", now - put_back) is not None
        assert store.mails.try_claim_due_mail("", now - put_back) is None


@pytest.mark.first_cases(3)
@pytest.mark.parametrize("tries", range(1, MOST_TRIES))
def test_a_mail_that_was_put_off_keeps_waiting(mailing: Site, tries: int) -> None:
    browse(mailing, "ada").hand_in(HALF + "# third")
    now = datetime.now(UTC)
    with open_server_store(mailing.settings.location) as store:
        put_off(store, now, tries)
        assert store.mails.try_claim_due_mail("", now) is None
        assert store.mails.try_claim_due_mail("", now + compute_retry_delay(tries)) is not None


def test_what_is_refused_for_now_is_tried_again_and_what_is_refused_for_good_is_told(
    mailing: Site, inbox: Inbox
) -> None:
    browse(mailing, "ada").hand_in(HALF + "# third")
    inbox.answers = ["450 later"]
    send(mailing)
    assert mailing.in_store(lambda store: store.mails.count_by_state("")) == {"waiting": 2}
    browse(mailing, "ada").hand_in(HALF + "# fourth")
    inbox.answers = ["550 nobody here"]
    send(mailing)
    assert mailing.in_store(lambda store: store.mails.count_by_state("")) == {"waiting": 3, "failed": 1}


def test_no_header_takes_anything_that_is_not_its_own(mailing: Site, inbox: Inbox) -> None:
    evil = 'x";\r\nBcc: eve@evil.example\r\n\r\n.py'

    def hand_in(store: ServerStore) -> None:
        person = store.accounts.find_enrolment("", "ada")
        assert person is not None
        store.hand_ins.add_hand_in_unless_duplicate(NewHandIn("", "toy", [person], evil, b"x", mails=("receipt",)))

    mailing.in_store(hand_in)
    config = mailing.settings.course / "grading.yml"
    config.write_text(config.read_text() + '    title: "toy\\r\\nBcc: eve@evil.example"\n')
    assert send(mailing) == 1
    ((address, mail),) = inbox.mails
    assert address == ADDRESS
    assert mail["Bcc"] is None
    assert [*mail.keys()] == [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "Content-Type", "Content-Transfer-Encoding",
        "MIME-Version", *(["X-Peer"] if "X-Peer" in mail else []),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "ada", "ada@", "a b@uni.example", "ada@uni.example\r\nBcc: eve@evil.example",
     "ada@uni.example,eve@evil.example", "Ada <ada@uni.example>", "ada@uni.example\0", "åda@uni.example"],
)  # fmt: skip
def test_what_is_not_one_address_is_none(text: str) -> None:
    assert not is_mail_address(text)
    assert is_mail_address(ADDRESS)


@pytest.mark.parametrize(
    ("url", "sender", "sentence"),
    [
        ("mail.uni.example", ADDRESS, "not the address of a mail server"),
        ("smtp://mail.uni.example:x", ADDRESS, "not the address of a mail server"),
        ("smtps://user:secret@mail.uni.example", ADDRESS, "AUTOGRADER_SMTP_PASSWORD"),
        ("smtps://mail.uni.example", "", "is not an e-mail address"),
    ],
)
def test_a_mail_server_that_cannot_be_used_is_told(url: str, sender: str, sentence: str) -> None:
    with pytest.raises(CallerFault, match=sentence):
        parse_smtp_server_settings(url, sender)


def test_a_url_says_how_to_reach_a_server() -> None:
    assert parse_smtp_server_settings("smtps://u%40x@mail.example", ADDRESS) == SmtpServerSettings(
        "mail.example", 465, True, "u@x", ADDRESS
    )
    assert parse_smtp_server_settings("smtp://mail.example", ADDRESS).port == 587


def test_an_erased_student_has_no_mail_any_more(mailing: Site) -> None:
    from autograder.web.retention.erasure import carry_out_erasure, plan_person_erasure

    browse(mailing, "ada").hand_in(HALF + "# third")
    with open_server_store(mailing.settings.location) as store:
        carry_out_erasure(
            store, mailing.settings.location, plan_person_erasure(store, mailing.settings.location, "ada")
        )
        assert store.mails.count_by_state("") == {}
