"""Define the subcommands of `autograder decide`, and apply decisions."""
