"""The tables of a store."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA = 3
"""The version of all that is here. A store of a later one is not opened."""

metadata = MetaData()

schema = Table("autograder_schema", metadata, Column("version", Integer, primary_key=True, autoincrement=False))

results = Table(
    "results",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("identity", String(64), nullable=False),
    Column("assignment", Text, nullable=False),
    Column("version", String(16), nullable=False),
    Column("kit", Text, nullable=False),
    Column("conditions", String(16), nullable=False),
    Column("known", String(16), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("final", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("graded_at", Text, nullable=False),
    Column("report", LargeBinary, nullable=False),
    Column("kept", LargeBinary, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    UniqueConstraint("identity", "assignment", "version", "kit", "conditions", "known", name="what_decides_it"),
)
"""One row for what decides a result; written once, and replaced only while it is not final."""

versions = Table(
    "versions",
    metadata,
    Column("assignment", Text, primary_key=True),
    Column("version", String(16), primary_key=True),
    Column("known", String(16), primary_key=True),
    Column("manifest", Text, nullable=False),
)
"""What each version of an assignment was, as far as verdicts depend on it."""

batches = Table(
    "batches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("assignment", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("platform", Text, nullable=False, server_default=""),
    Column("version", String(16), nullable=False),
    Column("kit", Text, nullable=False),
    Column("conditions", String(16), nullable=False),
    Column("known", String(16), nullable=False),
    Column("ran_at", Text, nullable=False),
    UniqueConstraint("name", "assignment", name="one_batch"),
)
"""The class: where its submissions lay, and what it was graded by the last time."""

members = Table(
    "members",
    metadata,
    Column("batch", Integer, ForeignKey("batches.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("path", Text, nullable=False),
    Column("problem", Text, nullable=False),
    Column("identity", String(64), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("student", Text, nullable=False),
    Column("handed_in", Text, nullable=False),
    Column("origin", Text, nullable=False, server_default=""),
    Column("students", Text, nullable=False, server_default=""),
    Index("in_order", "batch", "place"),
)
"""Who belongs to a class, and what each of them handed in; the identity is empty until it was read, student and time
(ISO 8601) until somebody said whose it is, and when; the origin, in JSON, where nobody said, and so are ``students``:
each of those who handed it in by all their names."""

ADDED = ((2, batches.c.platform), (2, members.c.origin), (3, members.c.students))
"""Columns that earlier versions did not have, and the version that brought each."""
