"""Define the options that several commands share."""
