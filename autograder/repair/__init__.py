"""Find the smallest change of a student's own text after which everything holds, and prove it."""
