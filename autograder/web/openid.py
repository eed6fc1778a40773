"""Sign people in with the account that they have elsewhere: OpenID Connect, or GitHub, which has a way of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.flask_client import OAuth
from flask import Flask, current_app
from flask.typing import ResponseReturnValue
from requests import RequestException

from autograder.faults import CallerFault
from autograder.web.request import Pages, Permission, current, render_message, see_other
from autograder.web.settings import CLIENT_SECRET, OpenIdSettings
from autograder.web.sign_in import sign_in

ANSWER_SECONDS = 20
GITHUB = {
    "authorize_url": "https://github.com/login/oauth/authorize",
    "access_token_url": "https://github.com/login/oauth/access_token",
    "api_base_url": "https://api.github.com/",
}
"""As in GitHub's documentation, "Authorizing OAuth apps"; it is no OpenID provider for people."""
PROVIDER = "autograder-openid"
PROVIDER_ERRORS = (AuthlibBaseError, RequestException, ValueError, KeyError, TypeError, RuntimeError)
"""What Authlib raises where a provider refuses, does not answer, or answers in another form."""
pages = Pages("openid_pages", __name__)


def add_openid_pages(app: Flask, settings: OpenIdSettings) -> None:
    """Add the two pages to an application.

    Raises:
        CallerFault: the secret of this client is not known.
    """
    secret = os.environ.get(CLIENT_SECRET, "")
    if not secret:
        raise CallerFault(
            "the provider's secret for this server is missing", CLIENT_SECRET, "put it into this environment variable"
        )
    addresses = GITHUB if settings.is_github else {"server_metadata_url": settings.metadata_url}
    more = {
        "scope": "user:email" if settings.is_github else "openid email profile",
        "code_challenge_method": "S256",
        "default_timeout": ANSWER_SECONDS,
    }
    app.extensions[PROVIDER] = OAuth(app).register(
        "provider", client_id=settings.client_id, client_secret=secret, client_kwargs=more, **addresses
    )
    app.register_blueprint(pages)


@pages.on_get("/sign-in/elsewhere", Permission.SIGN_IN)
def go_to_provider() -> ResponseReturnValue:
    """Send the browser to the provider."""
    try:
        answer: ResponseReturnValue = _provider().authorize_redirect(
            f"{current.settings.course_url}/sign-in/elsewhere/done"
        )
    except PROVIDER_ERRORS as error:
        return _refuse_broken(error)
    return answer


@pages.on_get("/sign-in/elsewhere/done", Permission.SIGN_IN)
def sign_in_from_provider() -> ResponseReturnValue:
    """Sign in whom the provider names, if that is one member of the course."""
    settings = current.settings.openid
    assert settings is not None
    try:
        names = _list_github_addresses() if settings.is_github else _list_claimed_names(settings)
    except PROVIDER_ERRORS as error:
        return _refuse_broken(error)
    if not names:
        return render_message(
            "The provider does not say who you are",
            f"It names no verified {settings.claim}. Ask the staff of this course for a personal link.",
            403,
        )
    accounts, course = current.store.accounts, current.course_key
    account_ids = {one.account for name in names for one in accounts.find_enrolments_by_address(course, name)}
    if len(account_ids) != 1:
        known = "more than one member" if account_ids else "no member"
        return render_message(
            "This course does not know you by that account",
            f"{', '.join(names)} is {known} of this course. Ask its staff, or sign in in another way.",
            403,
        )
    sign_in(account_ids.pop())
    return see_other("student_assignment_pages.show_assignments")


def _provider() -> Any:
    return current_app.extensions[PROVIDER]


def _list_claimed_names(settings: OpenIdSettings) -> list[str]:
    claims = _provider().authorize_access_token()["userinfo"]
    if settings.claim not in claims:  # some providers tell it only to those who ask once more
        claims = {**_provider().userinfo(), "sub": claims["sub"]}
    if settings.claim == "email" and claims.get("email_verified") is not True:
        return []  # at such providers, anybody may have claimed anybody's address
    return _list_texts([claims.get(settings.claim)])


def _list_github_addresses() -> list[str]:
    token = _provider().authorize_access_token()
    answer = _provider().get("user/emails", token=token)
    answer.raise_for_status()
    return _list_texts(one["email"] for one in answer.json() if one["verified"] is True)


def _list_texts(values: Iterable[object]) -> list[str]:
    return [value for value in values if isinstance(value, str) and value.strip()]


def _refuse_broken(error: Exception) -> ResponseReturnValue:
    current.save_fault(f"sign-in elsewhere: {type(error).__name__}: {error}")
    return render_message(
        "Signing in did not work",
        "The provider refused, did not answer, or this page was opened twice. Go back, and try again.",
        502,
    )
