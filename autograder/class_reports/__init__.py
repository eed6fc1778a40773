"""Report on a whole class for the staff: an overview of its results, and submissions with similar code."""
