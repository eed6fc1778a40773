"""Keep what was graded: results, who handed in what, and what each version of an assignment was.

``keys`` says what decides a result, and ``database`` keeps it. ``manifest``, ``change`` and ``again`` find out what
of it still holds when an assignment changes. Reports and the gradebook are made in ``batch.views``. Nothing is
imported here, because workers do not need the database.
"""
