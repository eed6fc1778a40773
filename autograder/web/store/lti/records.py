"""Find the rows of a table as values of a dataclass."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import Table, select, update

from autograder.store.session import StorePart

Record = TypeVar("Record")


class RecordTable(StorePart, Generic[Record]):
    """A table with a row for each record.

    Attributes:
        table: the table, which has an ``id``.
        kind: the dataclass of a record; its fields are called as the table's columns.
    """

    table: ClassVar[Table]
    kind: type[Record]

    def find(self, **values: Any) -> Record | None:
        """Return the record with these values, such as ``id=7``; None if there is none."""
        return self._session.fetch_one_as(self.kind, select(self.table).filter_by(**values))

    def list_all(self, **values: Any) -> list[Record]:
        """Return the records with these values, in the order in which they were added."""
        return self._session.fetch_all_as(self.kind, select(self.table).filter_by(**values).order_by(self.table.c.id))

    def _update(self, record_id: int, **values: Any) -> None:
        self._session.execute_and_commit(update(self.table).where(self.table.c.id == record_id).values(**values))
