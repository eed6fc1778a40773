"""Serve a course on the web: students hand in and read their results, the staff sees the class and decides.

``create_course_app`` makes the pages, ``grading_worker`` grades what was handed in, in a process of its own, and
``supervisor`` keeps both running. They exchange data through the store alone.
"""
