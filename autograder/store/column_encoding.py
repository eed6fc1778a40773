"""Define the types of columns: texts, moments and values as a database takes them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Text, TypeDecorator


class SurrogateText(TypeDecorator[str]):
    r"""Text that a database may refuse as it is, such as a file's name that is no UTF-8.

    The database holds it as in a JSON string, such as ``caf\udce9``; different texts stay different.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        """Return a text with characters that a database refuses escaped."""
        if value is None:
            return None
        return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()[1:-1]

    def process_result_value(self, value: str | None, dialect: Any) -> str | None:
        """Return the text that was bound."""
        return None if value is None else json.loads(f'"{value}"')


class UtcTime(TypeDecorator[datetime]):
    """A moment as ISO 8601 text in UTC, of one length, so that the texts sort as the moments do."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> str | None:
        """Return a moment as text."""
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Any) -> datetime | None:
        """Return the moment in UTC."""
        return None if value is None else datetime.fromisoformat(value)


class Json(TypeDecorator[Any]):
    """A value as JSON in ASCII, where lone surrogates are escapes, read back as ``kind``."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Any) -> str | None:
        """Return a value as JSON."""
        return None if value is None else json.dumps(msgspec.to_builtins(value))

    def process_result_value(self, value: str | None, dialect: Any) -> Any:
        """Return the value of JSON."""
        return None if value is None else msgspec.convert(json.loads(value), self.kind)


def utc_now() -> datetime:
    """Return this moment in UTC."""
    return datetime.now(UTC)
