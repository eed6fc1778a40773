"""The subcommands of `autograder lti`."""
