"""Find the courses and start the parts of `autograder serve`."""
