"""Check, collect and run the hidden suite, in one pytest session for all submissions."""
