"""Why a test failed or a submission cannot be graded, in words for the student."""
