"""Read from a submission's text what state it can keep, whether it depends on the order of sets, and what it sets."""
