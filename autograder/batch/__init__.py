"""Many submissions graded into one gradebook."""

from autograder.batch.run import Progress, run_batch
from autograder.batch.summary import BatchSummary

__all__ = ["BatchSummary", "Progress", "run_batch"]
