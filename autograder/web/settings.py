"""Describe how a course is served: its results, addresses, trusted proxy and mail server."""

from __future__ import annotations

import ipaddress
import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from email.headerregistry import Address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from autograder.batch.batch_location import BatchLocation
from autograder.faults import CallerFault

PASSWORD = "AUTOGRADER_SMTP_PASSWORD"
"""The environment variable with the password; every user of the machine could read it on a command line."""
CLIENT_SECRET = "AUTOGRADER_CLIENT_SECRET"
"""The environment variable with the secret that an OpenID provider gave this server."""
SECONDS = 30
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class SmtpServerSettings:
    """An SMTP server, with the user and the sender's address."""

    host: str
    port: int
    is_tls: bool
    """Whether the connection begins with TLS. If not, STARTTLS is required, unless the server is on this machine."""
    user: str
    sender: str

    @contextmanager
    def open_connection(self, password: str) -> Iterator[smtplib.SMTP]:
        """Open a connection.

        Raises:
            OSError: the server cannot be reached, or refuses; ``SMTPException`` is a subclass.
        """
        context = ssl.create_default_context()
        if self.is_tls:
            connection: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=SECONDS, context=context)
        else:
            connection = smtplib.SMTP(self.host, self.port, timeout=SECONDS)
        with connection:
            if not self.is_tls and self.host not in LOOPBACK:
                connection.starttls(context=context)
            if self.user:
                connection.login(self.user, password)
            yield connection


def parse_smtp_server_settings(url: str, sender: str) -> SmtpServerSettings:
    """Return the server that a URL names, such as ``smtps://user@mail.uni.example``.

    Raises:
        CallerFault: it names none, holds a password, or the sender is no address.

    >>> parse_smtp_server_settings("smtps://ada@mail.uni.example", "grader@uni.example").port
    465
    """
    advice = "write smtps://user@mail.uni.example, or smtp://user@mail.uni.example:587"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise CallerFault(f"the URL is not the address of a mail server: {error}", "--smtp", advice) from error
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path not in ("", "/"):
        raise CallerFault("the URL is not the address of a mail server", "--smtp", advice)
    if parts.password:
        raise CallerFault(
            "the URL holds a password, which others on this machine can read", "--smtp", f"put it into {PASSWORD}"
        )
    if not is_mail_address(sender):
        raise CallerFault("the sender is not an e-mail address", "--mail-from", "write it as grader@uni.example")
    is_tls = parts.scheme == "smtps"
    return SmtpServerSettings(
        parts.hostname, port or (465 if is_tls else 587), is_tls, unquote(parts.username or ""), sender
    )


def is_mail_address(text: str) -> bool:
    """Return whether a text is one e-mail address in ASCII, and nothing else."""
    if not text.isascii() or not text.isprintable() or "@" not in text or len(text) > 254:
        return False
    try:
        return Address(addr_spec=text).addr_spec == text and " " not in text
    except Exception:  # the parser raises errors of several kinds for what is no address
        return False


@dataclass(frozen=True, slots=True)
class OpenIdSettings:
    """The provider whose accounts people sign in with."""

    provider: str
    """The address of its issuer, or ``github`` or ``google``."""
    client_id: str
    """What the provider calls this server."""
    claim: str = "email"
    """What it says of a person that is their login or address here."""

    def __post_init__(self) -> None:
        where = "--sign-in-with"
        if not self.is_github and not self.metadata_url.startswith(("https://", *_LOOPBACK_URLS)):
            raise CallerFault(
                f"'{self.provider}' names no provider", where, "write github, google, or https://idp.uni.example"
            )
        if not self.client_id:
            raise CallerFault(
                "the provider knows no client", "--client-id", "write the id that the provider gave you"
            )

    @property
    def is_github(self) -> bool:
        """Return whether it is GitHub."""
        return self.provider == "github"

    @property
    def metadata_url(self) -> str:
        """Return where the provider describes itself, as OpenID Connect Discovery says."""
        issuer = "https://accounts.google.com" if self.provider == "google" else self.provider
        return f"{issuer.rstrip('/')}/.well-known/openid-configuration"

    @property
    def title(self) -> str:
        """Return what the page to sign in calls it."""
        names = {"github": "GitHub", "google": "Google"}
        return names.get(self.provider) or urlsplit(self.provider).hostname or self.provider


_LOOPBACK_URLS = ("http://127.0.0.1:", "http://localhost:")
COURSE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
STUDENT_MB = 250
"""Megabytes of a student's hand-ins by default: some thousand programs, or fifty notebooks full of pictures."""


@dataclass(frozen=True, slots=True)
class CourseServerSettings:
    """How one course is served, as the options of ``autograder serve`` say."""

    course: Path
    """The folder of ``grading.yml``."""
    location: BatchLocation
    """Keeps the results; its class name stands for the course in the store."""
    _: KW_ONLY
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = ""
    """How browsers reach the server, such as ``https://grader.uni.example``; this host and port when empty."""
    trusted_proxy: str = ""
    """The address of a reverse proxy that says where requests come from, and may sign people in; none when empty."""
    user_header: str = ""
    """The header in which the proxy names the signed-in person, such as ``X-Remote-User``."""
    demo: bool = False
    """Whether every visitor can sign in as any person with a click."""
    mail_server: SmtpServerSettings | None = None
    """Sends mail to students; no mail is sent when None."""
    openid: OpenIdSettings | None = None
    """Where else people have the account that signs them in; nowhere when None."""
    student_mb: int = STUDENT_MB
    """Megabytes that all hand-ins of a student to the course may have together."""
    browser_site: Path | None = None
    """The site of ``autograder template --browser`` on which students may work; none when None."""
    name: str = ""
    """Names the course in addresses where a server has several; it has all addresses when empty."""

    def __post_init__(self) -> None:
        if self.demo and not _is_loopback(self.host):
            raise CallerFault(
                "--demo lets anybody sign in as anybody, so it serves only this machine",
                where=f"--host {self.host}",
                advice="leave out --host, or --demo",
            )
        if self.browser_site and not (self.browser_site / "work.js").is_file():
            raise CallerFault(
                "the site for browsers has no work.js",
                where=f"--browser {self.browser_site}",
                advice=f"write it with `autograder template --browser {self.browser_site}`",
            )
        if self.name and (not COURSE_NAME.fullmatch(self.name) or self.name == "static"):
            raise CallerFault(
                f"the course name '{self.name}' cannot be part of an address",
                advice="write --course mg101=FOLDER, with lower-case letters, digits, - and _",
            )
        if self.user_header and not self.trusted_proxy:
            raise CallerFault(
                "without --trusted-proxy, anybody could send the header and sign in as anybody",
                where=f"--user-header {self.user_header}",
                advice="name the proxy's address with --trusted-proxy",
            )
        if self.trusted_proxy and not _is_address(self.trusted_proxy):
            problem = f"'{self.trusted_proxy}' is not an IP address"
            raise CallerFault(problem, "--trusted-proxy", "write it as 127.0.0.1")
        if self.public_url and not _is_origin(self.public_url):
            raise CallerFault(
                f"'{self.public_url}' is not the address of a server",
                where="--public-url",
                advice="write it as https://grader.uni.example",
            )

    @property
    def course_url(self) -> str:
        """Return the address of the course's first page that browsers use, without a slash at its end."""
        return f"{self.server_url}{self.prefix}"

    @property
    def server_url(self) -> str:
        """Return the address of the server that browsers use, without a slash at its end."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url.rstrip("/") or f"http://{host}:{self.port}"

    @property
    def prefix(self) -> str:
        """Return what the paths of all pages begin with, such as ``/mg101``; empty where it is the only course."""
        return f"/{self.name}" if self.name else ""

    @property
    def cookie_name(self) -> str:
        """Return the name of the cookie of this course's sessions.

        Over HTTPS it has the prefix ``__Host-``: browsers accept such a cookie from this host alone, and over TLS.
        """
        return ("__Host-" if self.is_https else "") + "-".join(filter(None, ("autograder", self.name)))

    @property
    def is_https(self) -> bool:
        """Return whether browsers reach the server over TLS."""
        return self.course_url.startswith("https:")

    @property
    def allowed_host_names(self) -> list[str]:
        """Return the host names that the server answers to.

        A request for another name is refused: a foreign site whose name leads here may have caused it.
        """
        host_name = urlsplit(self.course_url).hostname or self.host
        return [host_name, "localhost", "127.0.0.1", "[::1]"] if _is_loopback(self.host) else [host_name]


def _is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_origin(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.path in ("", "/")
