"""Keep the send policy of each line item: when its marks are sent."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from autograder.store.lti.lti_mark_table_definitions import settings
from autograder.store.lti.outbox_mark import SendPolicy
from autograder.store.session import StorePart

DEFAULT: SendPolicy = "at once"
"""As soon as students see the result here; ``feedback.results`` in ``grading.yml`` says when that is."""


class SendPolicyTable(StorePart):
    """When the marks of each line item are sent: at once, after the due date, or on publishing."""

    def get_send_policy_or_default(self, resource_link_id: int) -> SendPolicy:
        """Return when the marks of a line item are sent; the default if nothing was set."""
        row = self._session.fetch_one(select(settings).where(settings.c.line_item == resource_link_id))
        policy: SendPolicy = row.send_when if row else DEFAULT
        return policy

    def save_send_policy(self, resource_link_id: int, send_policy: SendPolicy) -> None:
        """Say when the marks of a line item are sent."""
        with self._session.transaction():
            self._session.execute(delete(settings).where(settings.c.line_item == resource_link_id))
            self._session.execute(insert(settings).values(line_item=resource_link_id, send_when=send_policy))
