"""The command line: thin, with one module per command."""
