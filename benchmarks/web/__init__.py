"""How many students a server of ``autograder serve`` stands at once."""
