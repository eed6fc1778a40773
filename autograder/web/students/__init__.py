"""The students' pages: assignments, hand-ins, results, inquiries and mail settings."""
