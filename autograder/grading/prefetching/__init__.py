"""Requests that are sent before a test makes them, many in one message, and verdicts that follow from the answers."""
