"""What was graded, kept: results, who handed in what, and what each version of an assignment was.

``keys`` says what decides a result, ``database`` keeps it, ``views`` makes reports and gradebook of it; ``manifest``,
``change``, ``plan`` and ``again`` find out what of it still holds when an assignment changes. Nothing is imported
here: workers have no need of the database.
"""
