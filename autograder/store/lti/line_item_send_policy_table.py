"""Keep when the marks of a line item are sent."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from autograder.store.lti.lti_mark_table_definitions import settings
from autograder.store.lti.outbox_mark import SendWhen
from autograder.store.session import StorePart

DEFAULT: SendWhen = "at once"
"""As soon as students see the result here; ``feedback.results`` in ``grading.yml`` says when that is."""


class SendPolicyTable(StorePart):
    """When the marks of each line item are sent: at once, after the due date, or on publishing."""

    def get_send_timing_or_default(self, resource_link_id: int) -> SendWhen:
        """Return when the marks of a line item are sent; the default if nothing was set."""
        row = self._session.fetch_one(select(settings).where(settings.c.line_item == resource_link_id))
        timing: SendWhen = row.send_when if row else DEFAULT
        return timing

    def save_send_timing(self, resource_link_id: int, send_when: SendWhen) -> None:
        """Say when the marks of a line item are sent."""
        with self._session.transaction():
            self._session.execute(delete(settings).where(settings.c.line_item == resource_link_id))
            self._session.execute(insert(settings).values(line_item=resource_link_id, send_when=send_when))
