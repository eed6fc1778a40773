"""Keep what was graded: results, who handed in what, and what each version of an assignment was.

``submission_key_and_grading_rules`` says what decides a result, and ``store`` keeps it. ``assignment_manifest`` and
``submission_regrade_plan`` find out what of it still holds when an assignment changes.
Reports and the gradebook are made in ``batch.personalized_reports``. Nothing is imported here: workers do not need
the database.
"""
