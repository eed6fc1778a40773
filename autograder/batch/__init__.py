"""Grade many submissions into one gradebook."""

from autograder.batch.location import BatchLocation
from autograder.batch.request import BatchRequest
from autograder.batch.run import run_batch, run_regrade
from autograder.batch.summary import BatchSummary, ResultCallback

__all__ = ["BatchLocation", "BatchRequest", "BatchSummary", "ResultCallback", "run_batch", "run_regrade"]
