"""Grade many submissions into one gradebook."""

from autograder.batch.place import Place
from autograder.batch.request import BatchRequest
from autograder.batch.run import run_batch, run_regrade
from autograder.batch.summary import BatchSummary, Progress

__all__ = ["BatchRequest", "BatchSummary", "Place", "Progress", "run_batch", "run_regrade"]
