"""Keep the platforms that may launch this tool, and their deployments."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from sqlalchemy import insert, select, update

from autograder.store.column_encoding import utc_now
from autograder.store.lti.lti_table_definitions import platforms, read_row
from autograder.store.session import StorePart

PlatformKind = Literal["moodle", "canvas", "openedx", "brightspace", "blackboard", "other"]
KINDS: tuple[PlatformKind, ...] = get_args(PlatformKind)


@dataclass(frozen=True, slots=True)
class LtiPlatform:
    """A registered learning management system, with the addresses and ids that both sides agreed on."""

    name: str
    """What the staff calls it, such as ``moodle``."""
    issuer: str
    """The issuer. All customers of Canvas's cloud share one; the client id distinguishes them."""
    client_id: str
    login_url: str
    """Where browsers are sent to prove who they are (OpenID Connect's authentication request)."""
    token_url: str
    keys_url: str
    """Its JSON Web Key Set."""
    deployments: tuple[str, ...] = ()
    """Those that are accepted; none is by default."""
    kind: PlatformKind = "other"
    token_audience: str = ""
    """The audience of a request for an access token; the token URL when empty."""
    allow_private: bool = False
    """Whether its addresses may be plain HTTP or in a private network."""
    id: int = 0
    """Its number in the store; 0 where it is not there yet."""


class LtiPlatformTable(StorePart):
    """The platforms of a store."""

    def save_platform(self, platform: LtiPlatform) -> LtiPlatform:
        """Add a platform, or replace the one of that name; return it with its number.

        People and line items stay with it, also if it was removed and comes back with the same issuer and client id.
        Its deployments are those that are given now.
        """
        values = asdict(platform)
        del values["id"]
        with self._session.transaction():
            old_platform = self.find_active_by_name(platform.name)
            known_id = old_platform.id if old_platform else self._find_removed(platform)
            if known_id is None:
                self._session.execute(insert(platforms).values(**values))
            else:
                change = update(platforms).where(platforms.c.id == known_id)
                self._session.execute(change.values(**values, removed_at=None))
        new_platform = self.find_active_by_name(platform.name)
        assert new_platform is not None
        return new_platform

    def find_active_by_name(self, platform_name: str) -> LtiPlatform | None:
        """Return the platform of a name; None if there is none."""
        return next(iter(self._select_platforms(platforms.c.name == platform_name)), None)

    def find_active_by_id(self, platform_id: int) -> LtiPlatform | None:
        """Return the platform of a number; None if there is none, or it was removed."""
        return next(iter(self._select_platforms(platforms.c.id == platform_id)), None)

    def list_active_by_issuer(self, issuer: str, client_id: str = "") -> list[LtiPlatform]:
        """Return the platforms of an issuer, or those of them that know the tool by a client id."""
        candidates = self._select_platforms(platforms.c.issuer == issuer)
        return [platform for platform in candidates if not client_id or platform.client_id == client_id]

    def list_active(self) -> list[LtiPlatform]:
        """Return every platform that was not removed, by name."""
        return self._select_platforms()

    def retire(self, platform: LtiPlatform) -> None:
        """Refuse launches of a platform from now on; keep its people and line items."""
        values = {"name": f"{platform.name} (removed {platform.id})", "removed_at": utc_now()}
        self._session.execute_and_commit(update(platforms).where(platforms.c.id == platform.id).values(**values))

    def _find_removed(self, platform: LtiPlatform) -> int | None:
        conditions = (
            platforms.c.issuer == platform.issuer,
            platforms.c.client_id == platform.client_id,
            platforms.c.removed_at.is_not(None),
        )
        row = self._session.fetch_one(select(platforms.c.id).where(*conditions).order_by(platforms.c.id.desc()))
        return int(row.id) if row else None

    def _select_platforms(self, *conditions: Any) -> list[LtiPlatform]:
        query = select(platforms).where(platforms.c.removed_at.is_(None), *conditions).order_by(platforms.c.name)
        return [read_row(LtiPlatform, row) for row in self._session.fetch_all(query)]
