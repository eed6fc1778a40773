"""How the tables of a store came to be, one step after the other; run by Alembic.

A step that is released is never changed. A new one is a file in ``versions`` with the next number, and ``HEAD`` in
``migrate`` says it. ``tables`` has the outcome, and a test holds both against each other.
"""
