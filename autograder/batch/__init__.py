"""Many submissions graded into one gradebook."""

from autograder.batch.run import BatchSummary, Progress, run_batch

__all__ = ["BatchSummary", "Progress", "run_batch"]
