"""Find what a change of an assignment touches: which results still hold, and which tests run again."""
