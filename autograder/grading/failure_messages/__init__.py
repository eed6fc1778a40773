"""Say to the student why a test failed, or why a submission cannot be graded."""
