"""Define how a course asks Slurm for machines; nothing here affects a verdict."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Count = Annotated[int, Meta(gt=0, le=100_000)]
Text = Annotated[str, Meta(min_length=1)]


class SlurmSettings(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The resources that each job asks Slurm for; all names except ``jobs`` are those of dask-jobqueue."""

    jobs: Count
    """How many jobs to ask for; grading begins when the first one runs."""
    cores: Count
    """Cores of one job, which is also how many submissions a job grades at once."""
    memory: Text
    """Memory of one job, such as 8GB."""
    walltime: Text
    """The time after which Slurm ends a job, such as 02:00:00. While work is left, another job is asked for."""
    queue: Text | None = None
    account: Text | None = None
    interface: Text | None = None
    """The network interface over which the machines reach each other, such as ib0."""
    local_directory: Text | None = None
    """The folder on its own machine that a job may write to."""
    log_directory: Text | None = None
    """The folder for the output of jobs. When None, the output is discarded at the end."""
    job_extra_directives: tuple[Text, ...] = ()
    """Further directives for the head of the job script, such as --qos=teaching."""
    job_script_prologue: tuple[Text, ...] = ()
    """Shell commands that run before a job's worker starts, such as module load python."""
