"""Know who is in the class: read rosters, and find the row that belongs to a student."""
