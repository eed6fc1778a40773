"""The subcommands of `autograder decide`."""
