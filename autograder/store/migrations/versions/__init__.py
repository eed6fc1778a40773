"""One step each, named by its number."""
