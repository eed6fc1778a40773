"""People come back: by a link that is mailed to them, in a browser that they use; and they end all of it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from autograder.store.tables import utc_now
from autograder.web.store.tables import invitations, sign_ins
from tests.web.conftest import Browser, Site
from tests.web.test_mail import ADDRESS, Inbox, browse, inbox, mailing, send

__all__ = ["inbox", "mailing"]


def visit(site: Site) -> Browser:
    """A browser that nobody is signed in with."""
    opened = site.browser()
    opened.client.environ_base |= {"HTTP_HOST": "grader.example", "wsgi.url_scheme": "https"}
    opened.headers["Referer"] = "https://grader.example/"
    return opened


def find_link(text: str) -> str:
    found = re.search(r"https://grader.example(/link/\S+)", text)
    assert found, text
    return found[1]


@pytest.mark.parametrize("typed", [ADDRESS, f"  {ADDRESS.upper()} "])
def test_somebody_who_signed_out_comes_back_by_a_link_in_the_mail(mailing: Site, inbox: Inbox, typed: str) -> None:
    ada = visit(mailing)
    assert "a link is on its way" in ada.post("/sign-in", address=typed).text
    assert send(mailing) == 1
    (address, mail), *none = inbox.mails
    assert (address, none) == (ADDRESS, [])
    link = find_link(mail.get_content())
    assert "ada" in ada.get(link).text
    assert ada.post(link).headers["Location"] == "/"
    assert ada.get("/").status_code == 200
    assert visit(mailing).get(link).status_code == 404  # it worked once


def test_the_page_does_not_tell_whether_an_address_is_known(mailing: Site, inbox: Inbox) -> None:
    known, unknown = (visit(mailing).post("/sign-in", address=one) for one in (ADDRESS, "eve@uni.example"))
    assert known.status_code == unknown.status_code == 200
    assert known.text.replace(ADDRESS, "?") == unknown.text.replace("eve@uni.example", "?")
    assert send(mailing) == 1


def test_a_mailed_link_leaves_the_staffs_link_alone_and_ends_after_half_an_hour(mailing: Site, inbox: Inbox) -> None:
    invited = mailing.invite("ada")
    visit(mailing).post("/sign-in", address=ADDRESS)
    send(mailing)
    link = find_link(inbox.mails[0][1].get_content())
    assert visit(mailing).get(invited).status_code == 200

    def age(store: Any) -> None:
        row = store.accounts._session.fetch_one(select(invitations).order_by(invitations.c.id.desc()))
        assert timedelta(minutes=29) < row.expires_at - utc_now() < timedelta(minutes=31)
        ended = update(invitations).where(invitations.c.id == row.id).values(expires_at=utc_now())
        store.accounts._session.execute_and_commit(ended)

    mailing.in_store(age)
    assert visit(mailing).get(link).status_code == 404


def test_nobody_fills_anothers_inbox_with_links(mailing: Site, inbox: Inbox) -> None:
    for _ in range(5):
        visit(mailing).post("/sign-in", address=ADDRESS)  # each from an address of its own
    assert send(mailing) == 3
    eve = visit(mailing)
    answers = [eve.post("/sign-in", address=f"{n}@uni.example").status_code for n in range(7)]
    assert answers[-1] == 429


@pytest.mark.parametrize(
    "typed", ["", "ada", "ada@uni.example, eve@evil.example", "ada@uni.example\nBcc: eve@evil.example"]
)
def test_what_is_no_address_is_refused(mailing: Site, typed: str) -> None:
    answer = visit(mailing).post("/sign-in", address=typed)
    assert answer.status_code == 422
    assert "no e-mail address" in answer.text


def test_without_a_mail_server_the_page_offers_no_link(site: Site) -> None:
    opened = site.browser()
    assert "Send me a link" not in opened.get("/sign-in").text
    assert opened.post("/sign-in", page=site.invite("ada"), address=ADDRESS).status_code == 404


def test_the_store_holds_no_link_that_waits_to_be_sent(mailing: Site) -> None:
    visit(mailing).post("/sign-in", address=ADDRESS)
    count = mailing.in_store(lambda store: len(store.accounts._session.fetch_all(select(invitations.c.id))))
    visit(mailing).post("/sign-in", address=ADDRESS)
    assert mailing.in_store(lambda store: len(store.accounts._session.fetch_all(select(invitations.c.id)))) == count


def test_a_browser_that_is_used_stays_signed_in(site: Site) -> None:
    ada, old = site.browser("ada"), utc_now() + timedelta(days=3)

    def set_end(store: Any) -> None:
        store.accounts._session.execute_and_commit(update(sign_ins).values(expires_at=old))

    site.in_store(set_end)
    ada.get("/")
    end = site.in_store(lambda store: store.accounts._session.fetch_value(select(func.max(sign_ins.c.expires_at))))
    assert end - utc_now() > timedelta(days=13)


def test_signing_out_everywhere_ends_all_browsers_and_tokens_of_one_person(site: Site) -> None:
    here, there, bob = site.browser("ada"), site.browser("ada"), site.browser("bob")
    assert re.search(r"signed in in \d+ browsers", here.get("/account").text)
    token = re.search(r"AUTOGRADER_TOKEN=(\S+)", here.post("/account/token", page="/account").text)
    assert token is not None
    assert here.post("/account/sign-out-everywhere", page="/account").status_code == 303
    assert [one.get("/").status_code for one in (here, there, bob)] == [303, 303, 200]
    answer = site.browser(Authorization=f"Bearer {token[1]}").get(f"/api/hand-ins/{site.key('ada-1')}")
    assert answer.status_code == 401


def test_every_role_has_an_account_page(mailing: Site) -> None:
    for login in ("tess", "ines", "root"):
        page = browse(mailing, login).get("/account").text
        assert "Sign out everywhere" in page
        assert "Make a token" not in page
