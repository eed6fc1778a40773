"""Define the subcommands of `autograder lti`."""
