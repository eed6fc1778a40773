"""Find what is stored about a person or a course, to export or to erase it."""
