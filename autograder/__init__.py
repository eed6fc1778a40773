"""Isolated, fair and explained grading of Python exercises.

The rooms, in the order in which a submission passes through them, and what each imports from. None imports from a
room below it, and ``tests/test_layout.py`` proves the table::

    course         reads grading.yml                                 nothing
    submissions    reads what students handed in                     course
    sandbox        runs a process that may do next to nothing        course
    bridge         talks to the code in that process                 course, sandbox
    grading        runs the hidden suite, and gives points           course, submissions, sandbox, bridge
    edits          changes a program in one place                    nothing
    repair         finds the smallest change that makes it right     course, submissions, bridge, grading, edits
    diagnosis      names the mistake behind failed tests             course, bridge, grading, repair
    pictures       draws a counterexample and its replay             diagnosis
    reports        writes reports and pages                          course, grading, repair, diagnosis, pictures
    lateness       applies deadlines and extensions                  course, submissions, reports
    decisions      applies what people decided                       course, reports, lateness
    store          keeps results, and what was sent where            course, submissions, diagnosis, reports,
                                                                     lateness, decisions
    workers        grades in processes here or on a cluster          course, submissions, sandbox, grading, repair,
                                                                     diagnosis, reports, store
    batch          grades a class                                    course, submissions, sandbox, grading, repair,
                                                                     diagnosis, reports, lateness, decisions, store,
                                                                     workers
    class_reports  tells the staff about a class                     course, submissions, grading, reports, lateness,
                                                                     batch
    roster         knows who is in the class                         submissions
    platforms      reads and writes what each LMS packs              course, submissions, grading, diagnosis, reports,
                                                                     lateness, store, batch, roster
    template       writes what students get                          course, grading, pictures
    starter        makes courses and assignments                     course, template
    author_checks  proves that an assignment holds together          course, submissions, sandbox, bridge, grading,
                                                                     edits, repair, diagnosis, workers, template
    cli            is the command line                               every room but bridge, edits, pictures
    web            serves a course: pages, LTI, mail, people         course, submissions, sandbox, reports, lateness,
                                                                     decisions, store, workers, batch, class_reports,
                                                                     roster, platforms, template, cli

Beside them lie small modules that all may use: ``faults`` (whose mistake an error is), ``text`` (made harmless and
compared), ``files`` (written whole, for the staff alone), ``tables`` (cells of a CSV file), ``syntax_trees`` and
``kit_version``.

All rooms but ``web`` are the core, which grades files in a shell. ``web`` is a server: pages, LTI, mail, what it
keeps of people, and its commands. The core never imports it.
"""

__version__ = "0.2.0"
