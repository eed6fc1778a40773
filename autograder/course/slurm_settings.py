"""Define how a course asks for machines; nothing here decides a verdict."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Count = Annotated[int, Meta(gt=0, le=100_000)]
Text = Annotated[str, Meta(min_length=1)]


class SlurmSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What each job asks Slurm for; the names are dask-jobqueue's, but for ``jobs``."""

    jobs: Count
    """How many jobs to ask for; grading begins when the first runs."""
    cores: Count
    """Of one job: as many submissions are graded in it at once."""
    memory: Text
    """Of one job, such as 8GB."""
    walltime: Text
    """After which Slurm ends a job, such as 02:00:00; another is asked for while there is work."""
    queue: Text | None = None
    account: Text | None = None
    interface: Text | None = None
    """The network that machines reach each other by, such as ib0."""
    local_directory: Text | None = None
    """Where a job may write on its own machine."""
    log_directory: Text | None = None
    """Where what jobs print is kept; thrown away at the end when there is none."""
    job_extra_directives: tuple[Text, ...] = ()
    """More lines for the head of a job, such as --qos=teaching."""
    job_script_prologue: tuple[Text, ...] = ()
    """Shell commands before a job's worker starts, such as module load python."""
