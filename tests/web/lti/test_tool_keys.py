"""The tool's keys are made once, rotated, and shown to nobody."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jwt
import pytest

from autograder.faults import CallerFault
from autograder.files import override_output_file_readers
from autograder.web.lti import tool
from autograder.web.lti.tool import ToolSigningKeyFile


def verify(keys: ToolSigningKeyFile, token: str) -> dict[str, object]:
    """What a platform does that has the key set."""
    found = jwt.PyJWKSet.from_dict(keys.get_or_make_public_jwks())[jwt.get_unverified_header(token)["kid"]]
    return jwt.decode(token, found.key, ["RS256"])


@pytest.mark.parametrize("readers", ["owner", "group", "everybody"])
def test_nobody_else_reads_the_file_whoever_reads_the_results(readers: str, tmp_path: Path) -> None:
    with override_output_file_readers(readers):  # type: ignore[arg-type]
        ToolSigningKeyFile(tmp_path / "results").sign_jwt({})
    (file,) = (tmp_path / "results").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_servers_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as threads:
        found = {*threads.map(lambda _: ToolSigningKeyFile(tmp_path).list_published_ids_and_times()[0][0], range(4))}
    assert len(found) == 1


def test_a_rotated_key_signs_at_once_and_the_old_one_is_still_verified(keys: ToolSigningKeyFile) -> None:
    before = keys.sign_jwt({})
    new = keys.rotate_key()
    assert jwt.get_unverified_header(keys.sign_jwt({}))["kid"] == new
    assert verify(keys, before) == verify(keys, keys.sign_jwt({})) == {}
    assert len(keys.list_published_ids_and_times()) == 2


def test_a_key_that_was_replaced_long_ago_is_published_no_more(
    keys: ToolSigningKeyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys.sign_jwt({})
    monkeypatch.setattr(tool, "STILL_PUBLISHED", -tool.STILL_PUBLISHED)
    new = keys.rotate_key()
    assert [one for one, _ in keys.list_published_ids_and_times()] == [new]


def test_a_spoilt_file_is_told_without_what_is_in_it(keys: ToolSigningKeyFile, tmp_path: Path) -> None:
    keys.sign_jwt({})
    file = tmp_path / "results" / tool.FILE
    text = file.read_text()
    file.write_text(text[:-2])
    with pytest.raises(CallerFault, match="does not hold the tool's keys") as caught:
        keys.sign_jwt({})
    assert "PRIVATE" not in repr(caught.value) + str(caught.getrepr(style="long"))
