"""Grade many submissions into one gradebook."""

from autograder.batch.run import run_batch, run_regrade
from autograder.batch.summary import BatchSummary, Progress

__all__ = ["BatchSummary", "Progress", "run_batch", "run_regrade"]
