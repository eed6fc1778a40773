"""Serve students: assignments, hand-ins, results, inquiries and mail settings."""
