"""Send requests before a test makes them, many in one message, and recall verdicts that follow from the answers."""
