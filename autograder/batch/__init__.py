"""Grade many submissions into one gradebook."""

from autograder.batch.batch_coordinator import BatchConfig
from autograder.batch.batch_location import BatchLocation
from autograder.batch.batch_run import run_batch, run_regrade
from autograder.batch.batch_summary import BatchSummary, ResultCallback

__all__ = ["BatchConfig", "BatchLocation", "BatchSummary", "ResultCallback", "run_batch", "run_regrade"]
