"""Every column of the store has a line that says what an export and an erasure do with it."""

from __future__ import annotations

from autograder.store.tables import batches, metadata, results
from autograder.web.store.people.personal_data import PERSONAL_DATA
from autograder.web.store.tables import accounts, faults, hand_ins


def test_no_column_is_missing_and_none_is_named_twice() -> None:
    declared = {
        table.name: sorted([*data.exported.split(), *data.withheld.split()]) for table, data in PERSONAL_DATA.items()
    }
    assert declared == {table.name: sorted(table.c.keys()) for table in metadata.tables.values()}


def test_only_columns_of_shared_rows_are_renamed() -> None:
    for table, data in PERSONAL_DATA.items():
        renamed = data.renamed.split()
        assert set(renamed) <= set(table.c.keys())
        assert not renamed or data.rows == "shared"


def test_rows_that_go_with_a_person_refer_to_what_an_erasure_deletes() -> None:
    reached = {accounts, faults, hand_ins, batches, results}
    for table in metadata.sorted_tables:
        if reached & {key.column.table for key in table.foreign_keys}:
            reached.add(table)
    assert {table for table, data in PERSONAL_DATA.items() if data.rows == "deleted"} <= reached
