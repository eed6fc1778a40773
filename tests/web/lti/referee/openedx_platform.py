"""The platform side of Open edX (``lti-consumer-xblock``) as a server of its own, on SQLite, for one course.

It is AGPL, so it runs in an environment of its own (``make .venv-lti/ready``) and in a process of its own, and
nothing of the kit is imported here. What stands in for edx-platform is below: a block with points, a gradebook,
members. All else (keys, tokens, messages, line items, results, members, content items) is Open edX's own code.

Usage: openedx_platform.py PORT TOOL_URL DATABASE
"""

import json
import sys
from types import SimpleNamespace

PORT, TOOL, DATABASE = sys.argv[1:]
HERE = f"http://127.0.0.1:{PORT}"
COURSE = "course-v1:MG+101+2026"
BLOCK = "block-v1:MG+101+2026+type@lti_consumer+block@hw1"

import django  # noqa: E402
from django.conf import settings  # noqa: E402

settings.configure(
    DEBUG=True,
    ALLOWED_HOSTS=["*"],
    SECRET_KEY="a referee has no secrets",
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE, "OPTIONS": {"timeout": 30}}},
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "config_models", "waffle", "lti_consumer"],
    MIDDLEWARE=[
        f"{__name__}.add_user",
        "crum.CurrentRequestUserMiddleware",
        "edx_django_utils.cache.middleware.RequestCacheMiddleware",
    ],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    USAGE_ID_PATTERN=r"(?P<usage_id>(?:i4x://?[^/]+/[^/]+/[^/]+/[^@]+(?:@[^/]+)?)|(?:[^/]+))",
    LMS_ROOT_URL=HERE,
    LTI_BASE=HERE,
    LTI_API_BASE=HERE,
    PLATFORM_NAME="Open edX LTI consumer (test)",
    LOGGING_CONFIG=None,
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from lti_consumer import utils  # noqa: E402
from lti_consumer.api import get_lti_1p3_launch_info, get_lti_1p3_launch_start_url  # noqa: E402
from lti_consumer.data import Lti1p3LaunchData  # noqa: E402
from lti_consumer.models import (  # noqa: E402
    CourseAllowPIISharingInLTIFlag,
    Lti1p3Passport,
    LtiAgsLineItem,
    LtiAgsScore,
    LtiConfiguration,
    LtiDlContentItem,
)
from lti_consumer.plugin import compat  # noqa: E402
from opaque_keys.edx.keys import CourseKey, UsageKey  # noqa: E402

MEMBERS = {
    number: {
        "id": number, "username": name.lower(), "email": f"{name.lower()}@uni.example", "name": name, "roles": roles
    }
    for number, name, roles in [
        (7, "Lee", ["student"]), (8, "Ada", ["student"]), (9, "Bob", ["student"]), (5, "Ines", ["staff"]),
        (6, "Tess", ["student", "Community TA"]), (4, "Root", ["instructor"]),
    ]
}  # fmt: skip
GRADEBOOK: dict[str, list[object]] = {}


class Block:
    """What edx-platform keeps of the block: its points, and where its grades go."""

    weight, display_name, has_score, accept_grades_past_due = 20, "HW1 Value", True, True
    scope_ids = SimpleNamespace(usage_id=BLOCK)

    def is_past_due(self):
        return False

    def max_score(self):
        return self.weight

    def set_user_module_score(self, user, score, max_score, comment):
        GRADEBOOK[user] = [score, max_score, comment]


def add_user(get_response):
    """Sign everybody in as nobody: rights are edx-platform's business."""

    def answer(request):
        from django.contrib.auth.models import AnonymousUser

        request.user = AnonymousUser()
        return get_response(request)

    return answer


def replace_parts_of_edx_platform() -> None:
    """Stand in for the functions of edx-platform that the consumer calls."""
    off = SimpleNamespace(is_enabled=lambda *_: False)
    for name in (
        "get_external_config_waffle_flag", "get_external_user_id_1p1_launches_waffle_flag",
        "get_database_config_waffle_flag", "get_external_multiple_launch_urls_waffle_flag",
    ):  # fmt: skip
        for module in (compat, utils):
            setattr(module, name, lambda: off)
    compat.load_enough_xblock = compat.load_block_as_user = lambda location: Block()
    compat.get_user_from_external_user_id = lambda external: external
    compat.user_has_studio_write_access = lambda *_: True
    compat.get_course_members = lambda key: {number: {**one} for number, one in MEMBERS.items()}
    compat.merge_course_forum_roles = lambda key, members: members
    from lti_consumer.plugin.views import LtiNrpsContextMembershipViewSet as Members

    def attach(self, data):
        for number in data:
            data[number]["external_id"] = f"ext-{number}"

    Members.attach_external_user_ids = attach


def make_course() -> LtiConfiguration:
    """Make the database, and one link to the tool in it."""
    call_command("migrate", verbosity=0)
    passport = Lti1p3Passport.objects.create(
        name="autograder", lti_1p3_tool_keyset_url=f"{TOOL}/lti/keys", lti_1p3_client_id="autograder-client"
    )
    CourseAllowPIISharingInLTIFlag.objects.create(course_id=CourseKey.from_string(COURSE), enabled=True)
    return LtiConfiguration.objects.create(
        version=LtiConfiguration.LTI_1P3,
        config_store=LtiConfiguration.CONFIG_ON_DB,
        location=UsageKey.from_string(BLOCK),
        lti_1p3_passport=passport,
        lti_1p3_oidc_url=f"{TOOL}/lti/login",
        lti_1p3_launch_url=f"{TOOL}/lti/launch",
        lti_advantage_enable_nrps=True,
        lti_advantage_deep_linking_enabled=True,
        lti_advantage_deep_linking_launch_url=f"{TOOL}/lti/launch",
        lti_advantage_ags_mode=LtiConfiguration.LTI_ADVANTAGE_AGS_PROGRAMMATIC,
    )


replace_parts_of_edx_platform()
CONFIGURATION = make_course()


def describe_launch(user: str, role: str, assignment: str) -> Lti1p3LaunchData:
    member = MEMBERS[int(user)]
    return Lti1p3LaunchData(
        user_id=user, external_user_id=f"ext-{user}", user_role=role, config_id=CONFIGURATION.config_id,
        resource_link_id=BLOCK, name=member["name"], email=member["email"], preferred_username=member["username"],
        context_id=COURSE, context_type=["course_offering"], context_title="Micrograd 101", context_label="MG101",
        launch_presentation_document_target="iframe",
        custom_parameters={"assignment": assignment} if assignment else {},
    )  # fmt: skip


def start(request):
    """Send the browser to the tool: ``?user=7&role=student&assignment=toy``, or ``&deep=1`` to choose content."""
    asked = request.GET
    data = describe_launch(asked["user"], asked["role"], asked.get("assignment", ""))
    return HttpResponseRedirect(get_lti_1p3_launch_start_url(data, deep_link_launch="deep" in asked))


def show(request):
    """Say what a tool is told when it is set up, and what the platform holds."""
    info = get_lti_1p3_launch_info(describe_launch("5", "staff", ""))
    scores = LtiAgsScore.objects.order_by("id").values(
        "line_item_id", "user_id", "score_given", "score_maximum", "comment", "timestamp", "grading_progress"
    )
    return JsonResponse(
        {
            "issuer": HERE,
            "client_id": info["client_id"],
            "keys_url": info["keyset_url"],
            "login_url": info["oidc_callback"],
            "token_url": info["token_url"],
            "deployment": info["deployment_id"],
            "content": [one.attributes for one in LtiDlContentItem.objects.order_by("id")],
            "line_items": [{"id": one.id, "label": one.label} for one in LtiAgsLineItem.objects.order_by("id")],
            "scores": [{**one, "timestamp": one["timestamp"].isoformat()} for one in scores],
            "gradebook": GRADEBOOK,
        }
    )


def rotate(request):
    """Sign with a new key from now on."""
    passport = Lti1p3Passport.objects.get(pk=CONFIGURATION.lti_1p3_passport.pk)
    passport.lti_1p3_internal_private_key = ""
    passport.save()
    return JsonResponse({"kid": passport.lti_1p3_private_key_id})


def frame(request):
    """Show a launch in a frame, as a course page does."""
    source = f"/start?{request.META['QUERY_STRING']}"
    return HttpResponse(f'<!DOCTYPE html><h1>Course</h1><iframe src="{source}" width="900" height="600"></iframe>')


urlpatterns = [
    path("start", start),
    path("show", show),
    path("rotate", rotate),
    path("frame", frame),
    path("api/", include("lti_consumer.plugin.urls", namespace="lti_consumer")),
]

if __name__ == "__main__":
    sys.modules["openedx_platform"] = sys.modules[__name__]
    server = ThreadedWSGIServer(("127.0.0.1", int(PORT)), WSGIRequestHandler)
    server.set_app(get_wsgi_application())
    print(json.dumps({"ready": HERE}), flush=True)
    server.serve_forever()
