"""Store results, submissions and assignment versions in a database.

``results.result_key`` identifies everything that decides a result, and ``store`` saves it. The room ``regrade`` finds
out which parts of a result still hold when an assignment changes; ``batch.personalized_reports`` makes reports and
the gradebook. This file imports nothing, because workers do not need the database.
"""
