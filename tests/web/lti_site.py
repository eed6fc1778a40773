"""A course on the web that a platform is connected to, and browsers that come from there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

from werkzeug.test import TestResponse

from autograder.web.store.lti.platforms import LtiPlatform
from tests.web.conftest import Browser, Site
from tests.web.lti.fake_platform import CLAIM, MEMBERSHIP, FakePlatform

HERE = {"Origin": "http://localhost"}
TEACHER = {f"{CLAIM}roles": [f"{MEMBERSHIP}#Instructor"]}


@dataclass
class LtiSite:
    """A site, and the platform that launches it."""

    site: Site
    fake: FakePlatform

    def __post_init__(self) -> None:
        self.fake.tool = self.site.settings.course_url
        self.platform: LtiPlatform = self.site.in_store(
            lambda store: store.lti_platforms.save_platform(self.fake.platform)
        )

    def change(self, **values: Any) -> None:
        """Change what this side knows of the platform."""
        changed = replace(self.platform, **values)
        self.platform = self.site.in_store(lambda store: store.lti_platforms.save_platform(changed))

    def connect(self, context: str = "2", deployment: str = "1") -> None:
        """Let a course of the platform in, as an administrator does."""

        def action(store: Any) -> None:
            found = store.lti_contexts.add_or_update_context(self.platform.id, deployment, context, "")
            store.lti_contexts.set_connected(found.id, is_connected=True)

        self.site.in_store(action)

    def begin(self, browser: Browser, **fields: str) -> dict[str, str]:
        """Begin a login, and return what the platform is sent."""
        answer = self.log_in(browser, **fields)
        assert answer.status_code == 302, answer.text
        return read_query(answer.headers["Location"])

    def log_in(self, browser: Browser, **fields: str) -> TestResponse:
        sent = {
            "iss": self.fake.url, "login_hint": "5", "client_id": self.fake.client_id, "lti_deployment_id": "1",
            "target_link_uri": f"{self.fake.tool}/lti/launch",
            "lti_message_hint": '{"launchid":"ltilaunch_ContentItemSelectionRequest2134796305"}', **fields,
        }  # fmt: skip
        return browser.client.post("/lti/login", data={name: value for name, value in sent.items() if value})

    def post(self, browser: Browser, state: str, token: str, headers: Any = None, **fields: str) -> TestResponse:
        """Post a launch as the platform's page does."""
        sent = {
            "Origin": self.fake.url,
            "Sec-Fetch-Dest": "document",
            "Sec-Fetch-Site": "cross-site",
            **(headers or {}),
        }
        return browser.client.post("/lti/launch", data={"state": state, "id_token": token, **fields}, headers=sent)

    def launch(self, browser: Any = None, headers: Any = None, **changes: Any) -> TestResponse:
        """Come in with a right message, but for some claims."""
        browser = browser or self.site.browser()
        sent = self.begin(browser)
        return self.post(browser, sent["state"], self.fake.sign(self.fake.claims(sent["nonce"], **changes)), headers)


def read_query(url: str) -> dict[str, str]:
    return {name: value[0] for name, value in parse_qs(urlsplit(url).query).items()}
