"""The parts of `autograder serve`."""
