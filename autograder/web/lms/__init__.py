"""Connect a course with LMSs by LTI 1.3: set-up, launches, deadlines, and marks that are sent."""
