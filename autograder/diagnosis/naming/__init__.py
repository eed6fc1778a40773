"""Name mistakes by what tests and experiments see."""
