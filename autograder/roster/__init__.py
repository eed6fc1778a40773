"""Read rosters (lists of a course's students), and find the row that belongs to a student."""
