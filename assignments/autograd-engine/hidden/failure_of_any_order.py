"""Try something in every order that is right, and fail with the same words whichever order an engine chose."""

from autograder.bridge import StudentError


def raise_failure_of_any_order(*trials):
    """Run all trials, and raise the failure whose words come first in the alphabet.

    For trials of which an engine fails one or another by a choice that is its own, such as which operand it visits
    first: what is said, and that something is said, does not depend on it.
    """
    failures = []
    for trial in trials:
        try:
            trial()
        except (AssertionError, StudentError) as failure:
            failures.append(failure)
    if failures:
        raise min(failures, key=lambda failure: (isinstance(failure, AssertionError), str(failure)))
