"""Grade many submissions into one gradebook."""

from autograder.batch.batch_location import BatchLocation
from autograder.batch.batch_setup import BatchSetup
from autograder.batch.batch_summary import BatchSummary, ResultCallback
from autograder.batch.run_batch_and_regrade import run_batch, run_regrade

__all__ = ["BatchLocation", "BatchSetup", "BatchSummary", "ResultCallback", "run_batch", "run_regrade"]
