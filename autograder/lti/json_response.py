"""Decode the JSON of platforms, whatever they send."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

Decoded = TypeVar("Decoded")
NULL_DEPTH = 4
"""How deep nulls are dropped: those of a person in a list of members are the deepest that matter."""


def decode_json_response(body: bytes, target_type: type[Decoded]) -> Decoded:
    """Return JSON as a type; a member that is null counts as absent, and numbers may be text.

    Raises:
        ValueError: it is not JSON, nested too deeply, or not of this type.

    >>> decode_json_response(b'{"client_id": "7", "scope": null}', dict[str, str])
    {'client_id': '7'}
    """
    try:
        return msgspec.convert(drop_null_members(msgspec.json.decode(body)), target_type, strict=False)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def drop_null_members(json_value: Any, depth: int = NULL_DEPTH) -> Any:
    """Return JSON without the members of its objects that are null, as if the platform had left them out.

    Args:
        json_value: decoded JSON.
        depth: how deep to look; what lies deeper stays as it is.

    >>> drop_null_members({"name": None, "endpoint": {"lineitem": None, "scope": ["x"]}})
    {'endpoint': {'scope': ['x']}}
    """
    if depth and isinstance(json_value, dict):
        return {name: drop_null_members(value, depth - 1) for name, value in json_value.items() if value is not None}
    if depth and isinstance(json_value, list):
        return [drop_null_members(value, depth - 1) for value in json_value]
    return json_value
