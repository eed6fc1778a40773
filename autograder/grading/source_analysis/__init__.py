"""What a submission's text says about it: the state it can keep, the order of sets, the names it sets."""
