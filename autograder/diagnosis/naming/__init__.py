"""Name mistakes by the tests that they lose, and by what they do on fresh programs."""
