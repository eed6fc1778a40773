"""What is kept of people and terms, and for how long: export it, erase it, archive it."""
