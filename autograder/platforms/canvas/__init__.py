"""Canvas: read its zip of submissions; write its gradebook and feedback; send scores to its web service.

The gradebook: https://community.canvaslms.com/t5/Instructor-Guide/How-do-I-import-grades-in-the-Gradebook/ta-p/807.
The web service: https://canvas.instructure.com/doc/api/submissions.html.
"""

from autograder.platforms.canvas.gradebook import WHICH_STUDENTS, make_class_export
from autograder.platforms.canvas.reader import CanvasDownloadReader
from autograder.platforms.canvas.score_upload import iterate_access_check_lines, upload_changes
from autograder.platforms.common.platform_model import Platform

platform = Platform(
    name="canvas",
    title="Canvas",
    reader=CanvasDownloadReader(),
    class_writer=make_class_export,
    uploader=upload_changes,
    checker=iterate_access_check_lines,
    settings={
        "column": "the assignment's id or title in the exported gradebook",
        "feedback": "whose feedback goes into feedback.zip: changed (the usual), all or none",
        "url": "for --upload: the address of Canvas, such as https://canvas.example.edu",
        "course": "for --upload: the course's id, a number",
        "assignment": "for --upload: the assignment's id, a number",
        "comment": "for --upload: yes (default) or no, to send marks alone",
    },
    choices={"feedback": WHICH_STUDENTS},
)
