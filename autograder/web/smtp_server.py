"""Hold and read the settings of an SMTP server, and connect to it: encrypted wherever mail leaves this machine."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.headerregistry import Address
from urllib.parse import unquote, urlsplit

from autograder.faults import CallerFault

PASSWORD = "AUTOGRADER_SMTP_PASSWORD"
"""The environment variable with the password; every user of the machine could read it on a command line."""
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
