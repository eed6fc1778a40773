"""Hold the steps that made the tables of a store, one after the other; Alembic runs them.

A released step is never changed. A new step is a file in ``versions`` with the next number, and ``HEAD`` in
``schema_migration`` names it. ``core_table_definitions`` has the outcome, and a test compares the two.
"""
