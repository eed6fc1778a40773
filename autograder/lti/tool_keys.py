"""Keep the keys with which the tool signs: one file beside the server's secret, which nobody else reads."""

from __future__ import annotations

import functools
import json
import os
import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import msgspec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from jwt.algorithms import RSAAlgorithm

from autograder.faults import CallerFault, make_file_fault
from autograder.output_file_permissions import make_output_folder, open_new_output_file

FILE = "lti-keys.json"
ALGORITHM = "RS256"
"""The one algorithm that LTI's security framework requires of everybody."""
BITS = 2048
STILL_PUBLISHED = timedelta(days=30)
"""How long a key is published after another has replaced it: platforms remember key sets, and retry what failed."""


class ToolSigningKey(msgspec.Struct, frozen=True):
    """A key of the tool."""

    kid: str
    made_at: datetime
    pem: str
    replaced_at: datetime | None = None

    def __repr__(self) -> str:
        return f"ToolSigningKey({self.kid!r})"  # never the key


class ToolSigningKeyFile:
    """The keys of one server, the newest last."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def sign_jwt(self, claims: dict[str, Any]) -> str:
        """Return claims as a JSON Web Token, signed with the newest key; the first key is made when it is needed."""
        key = self._load_or_make()[-1]
        return jwt.encode(claims, _load_private_key(key.pem), ALGORITHM, headers={"kid": key.kid})

    def get_or_make_public_jwks(self) -> dict[str, Any]:
        """Return the JSON Web Key Set that platforms fetch; make and save the first key if there is none."""
        return {"keys": [_make_jwk(key) for key in self._load_or_make() if _is_published(key)]}

    def list_published_ids_and_times(self) -> list[tuple[str, datetime]]:
        """Return the published keys' ids and when each was made; make and save the first key if there is none."""
        return [(key.kid, key.made_at) for key in self._load_or_make() if _is_published(key)]

    def rotate_key(self) -> str:
        """Sign with a new key from now on, and return its id; the old ones stay published for a while."""
        now = datetime.now(UTC)
        old_keys = [
            msgspec.structs.replace(key, replaced_at=key.replaced_at or now)
            for key in self._load_or_make()
            if _is_published(key)
        ]
        new_key = _make_key()
        self._write_keys([*old_keys, new_key], replace=True)
        return new_key.kid

    def _load_or_make(self) -> list[ToolSigningKey]:
        try:
            if not self._path.exists():
                make_output_folder(self._path.parent)
                self._write_keys([_make_key()], replace=False)
            return msgspec.json.decode(self._path.read_bytes(), type=list[ToolSigningKey])
        except OSError as error:
            raise make_file_fault(error, self._path, action="open") from None
        except msgspec.DecodeError:  # without its text, which may hold a part of the file
            raise CallerFault(
                "the file does not hold the tool's keys",
                str(self._path),
                "restore it from a back-up, or delete it to make new keys",
            ) from None

    def _write_keys(self, keys: list[ToolSigningKey], *, replace: bool) -> None:
        temporary_path = self._path.with_name(f".writing-{secrets.token_hex(8)}")
        with open_new_output_file(temporary_path) as file:
            os.fchmod(file.fileno(), 0o600)  # also where the staff's group reads everything else
            file.write(msgspec.json.encode(keys))
        if replace:
            temporary_path.replace(self._path)
            return
        try:
            os.link(temporary_path, self._path)  # the first of several that start at once makes it
        except FileExistsError:
            pass
        finally:
            temporary_path.unlink()


def _make_key() -> ToolSigningKey:
    private_key = generate_private_key(public_exponent=65537, key_size=BITS)
    pem = private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    return ToolSigningKey(secrets.token_hex(8), datetime.now(UTC), pem)


@functools.lru_cache(maxsize=8)  # reading one takes a hundred times as long as signing
def _load_private_key(pem: str) -> RSAPrivateKey:
    private_key = load_pem_private_key(pem.encode(), password=None)
    assert isinstance(private_key, RSAPrivateKey)
    return private_key


def _make_jwk(key: ToolSigningKey) -> dict[str, Any]:
    numbers = json.loads(RSAAlgorithm.to_jwk(_load_private_key(key.pem).public_key()))
    return {"kty": "RSA", "kid": key.kid, "alg": ALGORITHM, "use": "sig", "n": numbers["n"], "e": numbers["e"]}


def _is_published(key: ToolSigningKey) -> bool:
    return key.replaced_at is None or datetime.now(UTC) - key.replaced_at < STILL_PUBLISHED
