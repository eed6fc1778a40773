"""Send requests before a test makes them, many in one message, and reuse verdicts that follow from the answers."""
