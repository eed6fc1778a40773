"""Mistakes get their names from what tests and experiments see."""
