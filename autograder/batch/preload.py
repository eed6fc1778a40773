"""Import what workers need, in the process that they are forked from; nobody else is to import this."""

import autograder.batch.worker  # noqa: F401
from autograder.sandbox.guard import hide_this_process

hide_this_process()
