"""The hidden suite in one pytest session: it is checked, collected and run for each submission."""
