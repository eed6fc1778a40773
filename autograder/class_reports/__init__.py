"""What the staff asks about a class and no single report answers: how it did, and who handed in nearly the same."""
