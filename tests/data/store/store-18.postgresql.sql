CREATE TABLE public.audit (
    id integer NOT NULL,
    recorded_at text NOT NULL,
    action text NOT NULL,
    run character varying(32) NOT NULL,
    account text NOT NULL,
    as_account text NOT NULL,
    platform text NOT NULL,
    class_name text NOT NULL,
    assignment text NOT NULL,
    target text NOT NULL,
    student text NOT NULL,
    student_label text NOT NULL,
    submission text NOT NULL,
    changed_item character varying(16) NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    platform_state_before text NOT NULL,
    overwrote boolean NOT NULL,
    state character varying(16) NOT NULL,
    answer text NOT NULL
);
CREATE SEQUENCE public.audit_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_id_seq OWNED BY public.audit.id;
CREATE TABLE public.autograder_schema (
    version integer NOT NULL
);
CREATE TABLE public.autograder_steps (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.batches (
    id integer NOT NULL,
    name text NOT NULL,
    assignment text NOT NULL,
    submissions_path text NOT NULL,
    platform text DEFAULT ''::text NOT NULL,
    version character varying(16) NOT NULL,
    kit text NOT NULL,
    environment_hash character varying(16) NOT NULL,
    misconceptions_state character varying(16) NOT NULL,
    ran_at text NOT NULL,
    roster text DEFAULT ''::text NOT NULL,
    deadline_rules text DEFAULT ''::text NOT NULL
);
CREATE SEQUENCE public.batches_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.batches_id_seq OWNED BY public.batches.id;
CREATE TABLE public.decisions (
    id integer NOT NULL,
    batch integer NOT NULL,
    kind character varying(16) NOT NULL,
    submission_or_student text NOT NULL,
    subject text NOT NULL,
    value text NOT NULL,
    reason text NOT NULL,
    author text NOT NULL,
    account text NOT NULL,
    decided_at text NOT NULL,
    sha256 character varying(64) NOT NULL,
    run character varying(32) NOT NULL,
    undone_at text NOT NULL,
    undone_by text NOT NULL
);
CREATE SEQUENCE public.decisions_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.decisions_id_seq OWNED BY public.decisions.id;
CREATE TABLE public.lti_contexts (
    id integer NOT NULL,
    platform integer NOT NULL,
    deployment text NOT NULL,
    context text NOT NULL,
    title text NOT NULL,
    course text NOT NULL,
    is_connected boolean NOT NULL,
    members_url text NOT NULL,
    line_items_url text NOT NULL,
    scopes text NOT NULL,
    members_read_at text NOT NULL,
    made_at text NOT NULL
);
CREATE SEQUENCE public.lti_contexts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lti_contexts_id_seq OWNED BY public.lti_contexts.id;
CREATE TABLE public.lti_deadline_sources (
    course text NOT NULL,
    assignment text NOT NULL,
    source character varying(16) NOT NULL
);
CREATE TABLE public.lti_deadlines (
    id integer NOT NULL,
    line_item integer NOT NULL,
    person integer,
    deadline text NOT NULL,
    said_by character varying(16) NOT NULL,
    said_at text NOT NULL
);
CREATE SEQUENCE public.lti_deadlines_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lti_deadlines_id_seq OWNED BY public.lti_deadlines.id;
CREATE TABLE public.lti_deployments (
    platform integer NOT NULL,
    deployment text NOT NULL
);
CREATE TABLE public.lti_line_items (
    id integer NOT NULL,
    context integer NOT NULL,
    resource_link text NOT NULL,
    assignment text NOT NULL,
    line_item_url text NOT NULL,
    line_items_url text NOT NULL,
    scopes text NOT NULL,
    changed_at text NOT NULL
);
CREATE SEQUENCE public.lti_line_items_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lti_line_items_id_seq OWNED BY public.lti_line_items.id;
CREATE TABLE public.lti_mark_attempts (
    id integer NOT NULL,
    mark integer NOT NULL,
    recorded_at text NOT NULL,
    kind character varying(16) NOT NULL,
    version integer NOT NULL,
    value text NOT NULL,
    status integer NOT NULL,
    answer text NOT NULL
);
CREATE SEQUENCE public.lti_mark_attempts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lti_mark_attempts_id_seq OWNED BY public.lti_mark_attempts.id;
CREATE TABLE public.lti_mark_settings (
    line_item integer NOT NULL,
    send_when character varying(16) NOT NULL
);
CREATE TABLE public.lti_marks (
    id integer NOT NULL,
    line_item integer NOT NULL,
    person integer NOT NULL,
    url text NOT NULL,
    version integer NOT NULL,
    value text NOT NULL,
    state character varying(16) NOT NULL,
    confirmed text NOT NULL,
    in_doubt text NOT NULL,
    last_timestamp text NOT NULL,
    overwrites boolean NOT NULL,
    tries integer NOT NULL,
    next_try text NOT NULL,
    worker text NOT NULL,
    lease_until text NOT NULL,
    answer text NOT NULL,
    changed_at text NOT NULL
);
CREATE SEQUENCE public.lti_marks_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lti_marks_id_seq OWNED BY public.lti_marks.id;
CREATE TABLE public.lti_memberships (
    context integer NOT NULL,
    person integer NOT NULL,
    role character varying(24) NOT NULL,
    left_at text NOT NULL
);
CREATE TABLE public.lti_people (
    id integer NOT NULL,
    platform integer NOT NULL,
    deployment text NOT NULL,
    subject text NOT NULL,
    account integer NOT NULL,
    own_account integer NOT NULL,
    state character varying(16) NOT NULL,
    proposed_account integer,
    is_test_user boolean NOT NULL,
    made_at text NOT NULL
);
CREATE SEQUENCE public.lti_people_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lti_people_id_seq OWNED BY public.lti_people.id;
CREATE TABLE public.lti_platforms (
    id integer NOT NULL,
    name text NOT NULL,
    kind character varying(24) NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    login_url text NOT NULL,
    token_url text NOT NULL,
    keys_url text NOT NULL,
    token_audience text NOT NULL,
    allow_private boolean NOT NULL,
    made_at text NOT NULL,
    removed_at text NOT NULL
);
CREATE SEQUENCE public.lti_platforms_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.lti_platforms_id_seq OWNED BY public.lti_platforms.id;
CREATE TABLE public.lti_tickets (
    token character varying(64) NOT NULL,
    kind character varying(16) NOT NULL,
    data text NOT NULL,
    expires_at text NOT NULL
);
CREATE TABLE public.members (
    batch integer NOT NULL,
    name text NOT NULL,
    "position" integer NOT NULL,
    path text NOT NULL,
    problem text NOT NULL,
    identity character varying(64) NOT NULL,
    sha256 character varying(64) NOT NULL,
    student text NOT NULL,
    handed_in text NOT NULL,
    origin text DEFAULT ''::text NOT NULL,
    students text DEFAULT ''::text NOT NULL,
    last_result integer
);
CREATE TABLE public.results (
    id integer NOT NULL,
    identity character varying(64) NOT NULL,
    assignment text NOT NULL,
    version character varying(16) NOT NULL,
    kit text NOT NULL,
    environment_hash character varying(16) NOT NULL,
    misconceptions_state character varying(16) NOT NULL,
    sha256 character varying(64) NOT NULL,
    final boolean NOT NULL,
    status text NOT NULL,
    score double precision NOT NULL,
    graded_at text NOT NULL,
    report bytea NOT NULL,
    observations_for_regrade bytea NOT NULL,
    pytest_record bytea NOT NULL
);
CREATE SEQUENCE public.results_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.results_id_seq OWNED BY public.results.id;
CREATE TABLE public.versions (
    assignment text NOT NULL,
    version character varying(16) NOT NULL,
    misconceptions_state character varying(16) NOT NULL,
    manifest text NOT NULL
);
CREATE TABLE public.web_accounts (
    id integer NOT NULL,
    login text NOT NULL,
    name text NOT NULL,
    made_at text NOT NULL
);
CREATE SEQUENCE public.web_accounts_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_accounts_id_seq OWNED BY public.web_accounts.id;
CREATE TABLE public.web_enrolments (
    account integer NOT NULL,
    course text NOT NULL,
    role character varying(24) NOT NULL,
    team text NOT NULL
);
CREATE TABLE public.web_faults (
    id integer NOT NULL,
    course text NOT NULL,
    source text NOT NULL,
    text text NOT NULL,
    happened_at text NOT NULL
);
CREATE SEQUENCE public.web_faults_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_faults_id_seq OWNED BY public.web_faults.id;
CREATE TABLE public.web_hand_in_members (
    hand_in integer NOT NULL,
    account integer NOT NULL
);
CREATE TABLE public.web_hand_ins (
    id integer NOT NULL,
    key character varying(32) NOT NULL,
    course text NOT NULL,
    assignment text NOT NULL,
    owner text NOT NULL,
    attempt integer NOT NULL,
    submission text NOT NULL,
    account integer NOT NULL,
    file_name text NOT NULL,
    size integer NOT NULL,
    sha256 character varying(64) NOT NULL,
    handed_in text NOT NULL,
    state character varying(16) NOT NULL,
    tries integer NOT NULL,
    worker text NOT NULL,
    lease_until text NOT NULL,
    problem text NOT NULL,
    content bytea NOT NULL
);
CREATE SEQUENCE public.web_hand_ins_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_hand_ins_id_seq OWNED BY public.web_hand_ins.id;
CREATE TABLE public.web_inquiries (
    id integer NOT NULL,
    key character varying(32) NOT NULL,
    hand_in integer NOT NULL,
    test text NOT NULL,
    state character varying(16) NOT NULL,
    changed_at text NOT NULL
);
CREATE SEQUENCE public.web_inquiries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_inquiries_id_seq OWNED BY public.web_inquiries.id;
CREATE TABLE public.web_inquiry_entries (
    id integer NOT NULL,
    inquiry integer NOT NULL,
    account integer NOT NULL,
    kind character varying(16) NOT NULL,
    text text NOT NULL,
    written_at text NOT NULL
);
CREATE SEQUENCE public.web_inquiry_entries_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_inquiry_entries_id_seq OWNED BY public.web_inquiry_entries.id;
CREATE TABLE public.web_inquiry_readers (
    inquiry integer NOT NULL,
    account integer NOT NULL,
    last_read integer NOT NULL
);
CREATE TABLE public.web_invitations (
    id integer NOT NULL,
    token character varying(64) NOT NULL,
    account integer NOT NULL,
    made_at text NOT NULL,
    expires_at text NOT NULL,
    used_at text NOT NULL,
    revoked_at text NOT NULL
);
CREATE SEQUENCE public.web_invitations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_invitations_id_seq OWNED BY public.web_invitations.id;
CREATE TABLE public.web_mail_settings (
    account integer NOT NULL,
    address text NOT NULL,
    unwanted text NOT NULL
);
CREATE TABLE public.web_mails (
    id integer NOT NULL,
    key character varying(32) NOT NULL,
    course text NOT NULL,
    account integer NOT NULL,
    hand_in integer NOT NULL,
    inquiry integer,
    kind character varying(16) NOT NULL,
    state character varying(16) NOT NULL,
    tries integer NOT NULL,
    due_at text NOT NULL,
    problem text NOT NULL
);
CREATE SEQUENCE public.web_mails_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_mails_id_seq OWNED BY public.web_mails.id;
CREATE TABLE public.web_publications (
    id integer NOT NULL,
    course text NOT NULL,
    assignment text NOT NULL,
    is_published boolean NOT NULL,
    account integer NOT NULL,
    decided_at text NOT NULL
);
CREATE SEQUENCE public.web_publications_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_publications_id_seq OWNED BY public.web_publications.id;
CREATE TABLE public.web_regrade_trial_marks (
    trial integer NOT NULL,
    hand_in integer NOT NULL,
    state character varying(16) NOT NULL,
    difference double precision NOT NULL,
    is_lowered boolean NOT NULL,
    lines text NOT NULL
);
CREATE TABLE public.web_regrade_trials (
    id integer NOT NULL,
    key character varying(32) NOT NULL,
    course text NOT NULL,
    assignment text NOT NULL,
    version character varying(16) NOT NULL,
    account integer NOT NULL,
    begun_at text NOT NULL,
    carried_out_at text NOT NULL
);
CREATE SEQUENCE public.web_regrade_trials_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.web_regrade_trials_id_seq OWNED BY public.web_regrade_trials.id;
CREATE TABLE public.web_sign_ins (
    token character varying(64) NOT NULL,
    account integer NOT NULL,
    made_at text NOT NULL,
    expires_at text NOT NULL
);
CREATE TABLE public.web_workers (
    course text NOT NULL,
    name text NOT NULL,
    tier text NOT NULL,
    kit text NOT NULL,
    python text NOT NULL,
    started_at text NOT NULL,
    seen_at text NOT NULL,
    ended_at text NOT NULL
);
ALTER TABLE ONLY public.audit ALTER COLUMN id SET DEFAULT nextval('public.audit_id_seq'::regclass);
ALTER TABLE ONLY public.batches ALTER COLUMN id SET DEFAULT nextval('public.batches_id_seq'::regclass);
ALTER TABLE ONLY public.decisions ALTER COLUMN id SET DEFAULT nextval('public.decisions_id_seq'::regclass);
ALTER TABLE ONLY public.lti_contexts ALTER COLUMN id SET DEFAULT nextval('public.lti_contexts_id_seq'::regclass);
ALTER TABLE ONLY public.lti_deadlines ALTER COLUMN id SET DEFAULT nextval('public.lti_deadlines_id_seq'::regclass);
ALTER TABLE ONLY public.lti_line_items ALTER COLUMN id SET DEFAULT nextval('public.lti_line_items_id_seq'::regclass);
ALTER TABLE ONLY public.lti_mark_attempts ALTER COLUMN id SET DEFAULT nextval('public.lti_mark_attempts_id_seq'::regclass);
ALTER TABLE ONLY public.lti_marks ALTER COLUMN id SET DEFAULT nextval('public.lti_marks_id_seq'::regclass);
ALTER TABLE ONLY public.lti_people ALTER COLUMN id SET DEFAULT nextval('public.lti_people_id_seq'::regclass);
ALTER TABLE ONLY public.lti_platforms ALTER COLUMN id SET DEFAULT nextval('public.lti_platforms_id_seq'::regclass);
ALTER TABLE ONLY public.results ALTER COLUMN id SET DEFAULT nextval('public.results_id_seq'::regclass);
ALTER TABLE ONLY public.web_accounts ALTER COLUMN id SET DEFAULT nextval('public.web_accounts_id_seq'::regclass);
ALTER TABLE ONLY public.web_faults ALTER COLUMN id SET DEFAULT nextval('public.web_faults_id_seq'::regclass);
ALTER TABLE ONLY public.web_hand_ins ALTER COLUMN id SET DEFAULT nextval('public.web_hand_ins_id_seq'::regclass);
ALTER TABLE ONLY public.web_inquiries ALTER COLUMN id SET DEFAULT nextval('public.web_inquiries_id_seq'::regclass);
ALTER TABLE ONLY public.web_inquiry_entries ALTER COLUMN id SET DEFAULT nextval('public.web_inquiry_entries_id_seq'::regclass);
ALTER TABLE ONLY public.web_invitations ALTER COLUMN id SET DEFAULT nextval('public.web_invitations_id_seq'::regclass);
ALTER TABLE ONLY public.web_mails ALTER COLUMN id SET DEFAULT nextval('public.web_mails_id_seq'::regclass);
ALTER TABLE ONLY public.web_publications ALTER COLUMN id SET DEFAULT nextval('public.web_publications_id_seq'::regclass);
ALTER TABLE ONLY public.web_regrade_trials ALTER COLUMN id SET DEFAULT nextval('public.web_regrade_trials_id_seq'::regclass);
INSERT INTO public.audit VALUES (1, '2026-11-23T15:06:51.139913+00:00', 'upload', '9c19c19c19c19c19c19c19c19c19c1', 'kim', 'Kim (7)', 'canvas', '', 'toy', '4711', '7', 'Ada (7)', 'submission_1', 'mark', '', '9.5', 'monday', false, 'taken', '');
INSERT INTO public.audit VALUES (2, '2026-11-23T16:13:41.759387+00:00', 'decide', 'ccaa20c0c5d04ffa8644a42ac7dd83e6', 'kim', 'Kim', '', '', 'toy', '', '', 'submission_1', 'submission_1', 'override', '9.5', '9', 'decision 1', false, 'decided', 'appeal granted');
INSERT INTO public.audit VALUES (3, '2026-11-23T19:14:02.797006+00:00', 'inquiry', 'b15a82ff821d4d359f4f03b2b6801190', 'web:ada', 'Ada', '', '', 'toy', 'doubling.test-double.1', '', 'ada+bob-1', 'ada+bob-1', 'inquiry', '', 'open', 'inquiry 1', false, 'decided', 'Why?');
INSERT INTO public.audit VALUES (4, '2026-11-23T19:14:02.807791+00:00', 'inquiry', 'ea2da9bb57b0465ca937f35a4b08ac8e', 'web:tess', 'Tess', '', '', 'toy', 'doubling.test-double.1', '', 'ada+bob-1', 'ada+bob-1', 'inquiry', 'open', 'answered', 'inquiry 1', false, 'decided', 'Look again.');
INSERT INTO public.audit VALUES (5, '2026-11-23T19:14:02.812009+00:00', 'publish', '3c2e6eb96f4e4a10af3d672d06ad278b', 'web:tess', 'Tess', '', '', 'toy', '', '', 'everyone', '', 'results', 'not published', 'published', '', false, 'decided', '');
INSERT INTO public.autograder_schema VALUES (4);
INSERT INTO public.autograder_steps VALUES ('0018');
INSERT INTO public.batches VALUES (1, '', 'toy', '/srv/class', 'gradescope', 'v', '1', 'c', 'k', '2026-11-22T05:30:13.138686+00:00', '[{"login": "zoe@uni.example", "name": "Zo\u00eb"}]', '');
INSERT INTO public.decisions VALUES (1, 1, 'override', 'submission_1', '', '9', 'appeal granted', 'Kim', 'kim', '2026-11-23T16:13:41.756496+00:00', '', 'ccaa20c0c5d04ffa8644a42ac7dd83e6', '', '');
INSERT INTO public.lti_contexts VALUES (1, 1, '1', '2', 'Micrograd 101', '', true, 'https://lms.example/members', '', '', '', '2026-11-24T02:51:21.252198+00:00');
INSERT INTO public.lti_deadline_sources VALUES ('x', 'x', 'x');
INSERT INTO public.lti_deadlines VALUES (1, 1, 1, 'x', 'x', '2026-11-24T13:58:00+00:00');
INSERT INTO public.lti_deployments VALUES (1, '1');
INSERT INTO public.lti_line_items VALUES (1, 1, 'link', 'toy', 'https://lms.example/items/2/lineitem?type_id=1', '', 'a b', '2026-11-24T02:51:21.256770+00:00');
INSERT INTO public.lti_mark_attempts VALUES (1, 1, 'x', 'x', 1, 'x', 1, 'x');
INSERT INTO public.lti_mark_settings VALUES (1, 'x');
INSERT INTO public.lti_marks VALUES (1, 1, 1, 'x', 1, 'x', 'sent', 'x', 'x', 'x', false, 1, '2026-11-20T13:58:00+00:00', 'x', '2026-11-20T13:58:00+00:00', 'x', '2026-11-20T13:58:00+00:00');
INSERT INTO public.lti_memberships VALUES (1, 1, 'student', '');
INSERT INTO public.lti_people VALUES (1, 1, '1', '7', 4, 4, 'own', NULL, false, '2026-11-24T02:51:21.270728+00:00');
INSERT INTO public.lti_platforms VALUES (1, 'moodle', 'moodle', 'https://lms.example', 'client', 'https://lms.example/auth', 'https://lms.example/token', 'https://lms.example/keys', '', false, '2026-11-24T02:51:21.243250+00:00', '');
INSERT INTO public.lti_tickets VALUES ('tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt', 'login', '{"nonce": "n"}', '2026-11-25T02:51:21.487472+00:00');
INSERT INTO public.members VALUES (1, 'submission_1', 0, '/srv/class/submission_1', '', '', '', 'ada@uni.example + bob@uni.example', '2025-11-21T11:00:00+00:00', '{"platform": "gradescope", "people": [{"id": "1", "name": "Ada", "email": "ada@uni.example", "login": ""}, {"id": "2", "name": "Bob", "email": "bob@uni.example", "login": ""}], "group": "", "handed_in": "2025-11-21T11:00:00Z", "marked_late": false, "attempt": "", "names": ["submission_1"], "roster": []}', '[["ada@uni.example", "Ada"]]', NULL);
INSERT INTO public.members VALUES (1, 'submission_2', 1, '/srv/class/submission_2', '', '', '', 'zoe@uni.example', '2025-11-21T11:00:00+00:00', '{"platform": "gradescope", "people": [{"id": "3", "name": "Zoe", "email": "zoe@uni.example", "login": ""}], "group": "", "handed_in": "2025-11-21T11:00:00Z", "marked_late": false, "attempt": "", "names": ["submission_2"], "roster": []}', '[["ada@uni.example", "Ada"]]', NULL);
INSERT INTO public.results VALUES (1, 'iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii', 'toy', 'v', '1', 'c', 'any', 'ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss', true, 'graded', 9.5, '2026-11-22T02:16:39+00:00', '\x789cabae0500017500f9', '\x00ff', '\x');
INSERT INTO public.web_accounts VALUES (1, 'ada', 'Ada', '2026-11-23T19:14:02.684603+00:00');
INSERT INTO public.web_accounts VALUES (2, 'bob', 'Bob', '2026-11-23T19:14:02.689510+00:00');
INSERT INTO public.web_accounts VALUES (3, 'tess', 'Tess', '2026-11-23T19:14:02.691734+00:00');
INSERT INTO public.web_accounts VALUES (4, 'moodle-7', '小龙 李', '2026-11-24T02:51:21.264780+00:00');
INSERT INTO public.web_enrolments VALUES (3, '', 'teaching assistant', '');
INSERT INTO public.web_enrolments VALUES (1, '', 'student', '');
INSERT INTO public.web_enrolments VALUES (2, '', 'student', '');
INSERT INTO public.web_enrolments VALUES (4, '', 'student', '');
INSERT INTO public.web_faults VALUES (1, '', 'pages', 'the disk is full', '2026-11-24T01:47:05.731107+00:00');
INSERT INTO public.web_hand_in_members VALUES (1, 1);
INSERT INTO public.web_hand_in_members VALUES (1, 2);
INSERT INTO public.web_hand_in_members VALUES (2, 2);
INSERT INTO public.web_hand_ins VALUES (2, 'jV5ZWJnft3wEyd_HA7N8doAu', '', 'toy', 'bob', 1, 'bob-1', 2, 'value.py', 1, 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', '2026-11-23T19:14:02.712166+00:00', 'queued', 0, '', '', '', '\x78');
INSERT INTO public.web_hand_ins VALUES (1, 'ivy69FJqUHxUlwbuvY6LKU_H', '', 'toy', 'ada+bob', 1, 'ada+bob-1', 1, 'value.py', 2, 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', '2026-11-23T19:14:02.704210+00:00', 'graded', 0, '', '', '', '\x00ff');
INSERT INTO public.web_inquiries VALUES (1, 'isAwc4Mus-gpBp81dFYv83Na', 1, 'doubling.test-double.1', 'answered', '2026-11-23T19:14:02.804807+00:00');
INSERT INTO public.web_inquiry_entries VALUES (1, 1, 1, 'question', 'Why?', '2026-11-23T19:14:02.792839+00:00');
INSERT INTO public.web_inquiry_entries VALUES (2, 1, 3, 'answer', 'Look again.', '2026-11-23T19:14:02.804807+00:00');
INSERT INTO public.web_inquiry_readers VALUES (1, 1, 1);
INSERT INTO public.web_inquiry_readers VALUES (1, 3, 2);
INSERT INTO public.web_invitations VALUES (1, 'tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt', 1, '2026-11-23T19:14:02.693595+00:00', '2026-12-07T19:14:02.693595+00:00', '', '');
INSERT INTO public.web_mail_settings VALUES (1, 'x', 'x');
INSERT INTO public.web_mails VALUES (1, 'x', 'x', 1, 1, 1, 'x', 'x', 1, '2026-11-24T13:58:00+00:00', 'x');
INSERT INTO public.web_publications VALUES (1, '', 'toy', true, 3, '2026-11-23T19:14:02.810850+00:00');
INSERT INTO public.web_regrade_trial_marks VALUES (1, 1, 'waiting', 0, false, '[]');
INSERT INTO public.web_regrade_trials VALUES (1, 'JM0mU2EtALWDQhYi8lE0-Coz', '', 'toy', 'v', 3, '2026-11-23T19:14:02.812938+00:00', '');
INSERT INTO public.web_sign_ins VALUES ('ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss', 3, '2026-11-23T19:14:02.695788+00:00', '2026-12-07T19:14:02.695788+00:00');
INSERT INTO public.web_workers VALUES ('', 'worker', 'namespaces', '0.2.0', '3.11.7', '2026-11-24T01:47:05.713767+00:00', '2026-11-24T01:47:05.713767+00:00', '');
SELECT pg_catalog.setval('public.audit_id_seq', 5, true);
SELECT pg_catalog.setval('public.batches_id_seq', 1, true);
SELECT pg_catalog.setval('public.decisions_id_seq', 1, true);
SELECT pg_catalog.setval('public.lti_contexts_id_seq', 1, true);
SELECT pg_catalog.setval('public.lti_deadlines_id_seq', 1, false);
SELECT pg_catalog.setval('public.lti_line_items_id_seq', 1, true);
SELECT pg_catalog.setval('public.lti_mark_attempts_id_seq', 1, false);
SELECT pg_catalog.setval('public.lti_marks_id_seq', 1, false);
SELECT pg_catalog.setval('public.lti_people_id_seq', 1, true);
SELECT pg_catalog.setval('public.lti_platforms_id_seq', 1, true);
SELECT pg_catalog.setval('public.results_id_seq', 1, true);
SELECT pg_catalog.setval('public.web_accounts_id_seq', 4, true);
SELECT pg_catalog.setval('public.web_faults_id_seq', 1, true);
SELECT pg_catalog.setval('public.web_hand_ins_id_seq', 2, true);
SELECT pg_catalog.setval('public.web_inquiries_id_seq', 1, true);
SELECT pg_catalog.setval('public.web_inquiry_entries_id_seq', 2, true);
SELECT pg_catalog.setval('public.web_invitations_id_seq', 1, true);
SELECT pg_catalog.setval('public.web_mails_id_seq', 1, false);
SELECT pg_catalog.setval('public.web_publications_id_seq', 1, true);
SELECT pg_catalog.setval('public.web_regrade_trials_id_seq', 1, true);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.autograder_schema
    ADD CONSTRAINT autograder_schema_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.autograder_steps
    ADD CONSTRAINT autograder_steps_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.batches
    ADD CONSTRAINT batches_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_contexts
    ADD CONSTRAINT lti_contexts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_deadline_sources
    ADD CONSTRAINT lti_deadline_sources_pkey PRIMARY KEY (course, assignment);
ALTER TABLE ONLY public.lti_deadlines
    ADD CONSTRAINT lti_deadlines_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_deployments
    ADD CONSTRAINT lti_deployments_pkey PRIMARY KEY (platform, deployment);
ALTER TABLE ONLY public.lti_line_items
    ADD CONSTRAINT lti_line_items_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_mark_attempts
    ADD CONSTRAINT lti_mark_attempts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_mark_settings
    ADD CONSTRAINT lti_mark_settings_pkey PRIMARY KEY (line_item);
ALTER TABLE ONLY public.lti_marks
    ADD CONSTRAINT lti_marks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_memberships
    ADD CONSTRAINT lti_memberships_pkey PRIMARY KEY (context, person);
ALTER TABLE ONLY public.lti_people
    ADD CONSTRAINT lti_people_own_account_key UNIQUE (own_account);
ALTER TABLE ONLY public.lti_people
    ADD CONSTRAINT lti_people_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_platforms
    ADD CONSTRAINT lti_platforms_name_key UNIQUE (name);
ALTER TABLE ONLY public.lti_platforms
    ADD CONSTRAINT lti_platforms_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lti_tickets
    ADD CONSTRAINT lti_tickets_pkey PRIMARY KEY (token);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_pkey PRIMARY KEY (batch, name);
ALTER TABLE ONLY public.web_hand_ins
    ADD CONSTRAINT one_attempt UNIQUE (course, assignment, owner, attempt);
ALTER TABLE ONLY public.batches
    ADD CONSTRAINT one_batch UNIQUE (name, assignment);
ALTER TABLE ONLY public.web_inquiries
    ADD CONSTRAINT one_inquiry UNIQUE (hand_in, test);
ALTER TABLE ONLY public.lti_contexts
    ADD CONSTRAINT one_lti_context UNIQUE (platform, deployment, context);
ALTER TABLE ONLY public.lti_line_items
    ADD CONSTRAINT one_lti_link UNIQUE (context, resource_link);
ALTER TABLE ONLY public.lti_marks
    ADD CONSTRAINT one_lti_mark UNIQUE (line_item, person);
ALTER TABLE ONLY public.lti_people
    ADD CONSTRAINT one_lti_person UNIQUE (platform, deployment, subject);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT results_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT versions_pkey PRIMARY KEY (assignment, version, misconceptions_state);
ALTER TABLE ONLY public.web_accounts
    ADD CONSTRAINT web_accounts_login_key UNIQUE (login);
ALTER TABLE ONLY public.web_accounts
    ADD CONSTRAINT web_accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_enrolments
    ADD CONSTRAINT web_enrolments_pkey PRIMARY KEY (account, course);
ALTER TABLE ONLY public.web_faults
    ADD CONSTRAINT web_faults_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_hand_in_members
    ADD CONSTRAINT web_hand_in_members_pkey PRIMARY KEY (hand_in, account);
ALTER TABLE ONLY public.web_hand_ins
    ADD CONSTRAINT web_hand_ins_key_key UNIQUE (key);
ALTER TABLE ONLY public.web_hand_ins
    ADD CONSTRAINT web_hand_ins_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_inquiries
    ADD CONSTRAINT web_inquiries_key_key UNIQUE (key);
ALTER TABLE ONLY public.web_inquiries
    ADD CONSTRAINT web_inquiries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_inquiry_entries
    ADD CONSTRAINT web_inquiry_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_inquiry_readers
    ADD CONSTRAINT web_inquiry_readers_pkey PRIMARY KEY (inquiry, account);
ALTER TABLE ONLY public.web_invitations
    ADD CONSTRAINT web_invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_invitations
    ADD CONSTRAINT web_invitations_token_key UNIQUE (token);
ALTER TABLE ONLY public.web_mail_settings
    ADD CONSTRAINT web_mail_settings_pkey PRIMARY KEY (account);
ALTER TABLE ONLY public.web_mails
    ADD CONSTRAINT web_mails_key_key UNIQUE (key);
ALTER TABLE ONLY public.web_mails
    ADD CONSTRAINT web_mails_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_publications
    ADD CONSTRAINT web_publications_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_regrade_trial_marks
    ADD CONSTRAINT web_regrade_trial_marks_pkey PRIMARY KEY (trial, hand_in);
ALTER TABLE ONLY public.web_regrade_trials
    ADD CONSTRAINT web_regrade_trials_key_key UNIQUE (key);
ALTER TABLE ONLY public.web_regrade_trials
    ADD CONSTRAINT web_regrade_trials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.web_sign_ins
    ADD CONSTRAINT web_sign_ins_pkey PRIMARY KEY (token);
ALTER TABLE ONLY public.web_workers
    ADD CONSTRAINT web_workers_pkey PRIMARY KEY (course, name);
ALTER TABLE ONLY public.results
    ADD CONSTRAINT what_decides_it UNIQUE (identity, assignment, version, kit, environment_hash, misconceptions_state);
CREATE INDEX audit_of_a_class ON public.audit USING btree (class_name, assignment, platform);
CREATE INDEX decisions_about_a_class ON public.decisions USING btree (batch);
CREATE INDEX entries_of_an_inquiry ON public.web_inquiry_entries USING btree (inquiry);
CREATE INDEX faults_of_a_course ON public.web_faults USING btree (course);
CREATE INDEX hand_ins_by_state ON public.web_hand_ins USING btree (state, id);
CREATE INDEX hand_ins_of_an_account ON public.web_hand_in_members USING btree (account);
CREATE INDEX in_order ON public.members USING btree (batch, "position");
CREATE INDEX invitations_of_an_account ON public.web_invitations USING btree (account);
CREATE INDEX lti_mark_attempts_by_mark ON public.lti_mark_attempts USING btree (mark);
CREATE INDEX lti_marks_by_state ON public.lti_marks USING btree (state, next_try);
CREATE INDEX mails_by_state ON public.web_mails USING btree (state, due_at);
CREATE INDEX publications_of_an_assignment ON public.web_publications USING btree (course, assignment);
CREATE INDEX sign_ins_of_an_account ON public.web_sign_ins USING btree (account);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_batch_fkey FOREIGN KEY (batch) REFERENCES public.batches(id);
ALTER TABLE ONLY public.lti_contexts
    ADD CONSTRAINT lti_contexts_platform_fkey FOREIGN KEY (platform) REFERENCES public.lti_platforms(id);
ALTER TABLE ONLY public.lti_deadlines
    ADD CONSTRAINT lti_deadlines_line_item_fkey FOREIGN KEY (line_item) REFERENCES public.lti_line_items(id);
ALTER TABLE ONLY public.lti_deadlines
    ADD CONSTRAINT lti_deadlines_person_fkey FOREIGN KEY (person) REFERENCES public.lti_people(id);
ALTER TABLE ONLY public.lti_deployments
    ADD CONSTRAINT lti_deployments_platform_fkey FOREIGN KEY (platform) REFERENCES public.lti_platforms(id);
ALTER TABLE ONLY public.lti_line_items
    ADD CONSTRAINT lti_line_items_context_fkey FOREIGN KEY (context) REFERENCES public.lti_contexts(id);
ALTER TABLE ONLY public.lti_mark_attempts
    ADD CONSTRAINT lti_mark_attempts_mark_fkey FOREIGN KEY (mark) REFERENCES public.lti_marks(id);
ALTER TABLE ONLY public.lti_mark_settings
    ADD CONSTRAINT lti_mark_settings_line_item_fkey FOREIGN KEY (line_item) REFERENCES public.lti_line_items(id);
ALTER TABLE ONLY public.lti_marks
    ADD CONSTRAINT lti_marks_line_item_fkey FOREIGN KEY (line_item) REFERENCES public.lti_line_items(id);
ALTER TABLE ONLY public.lti_marks
    ADD CONSTRAINT lti_marks_person_fkey FOREIGN KEY (person) REFERENCES public.lti_people(id);
ALTER TABLE ONLY public.lti_memberships
    ADD CONSTRAINT lti_memberships_context_fkey FOREIGN KEY (context) REFERENCES public.lti_contexts(id);
ALTER TABLE ONLY public.lti_memberships
    ADD CONSTRAINT lti_memberships_person_fkey FOREIGN KEY (person) REFERENCES public.lti_people(id);
ALTER TABLE ONLY public.lti_people
    ADD CONSTRAINT lti_people_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.lti_people
    ADD CONSTRAINT lti_people_own_account_fkey FOREIGN KEY (own_account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.lti_people
    ADD CONSTRAINT lti_people_platform_fkey FOREIGN KEY (platform) REFERENCES public.lti_platforms(id);
ALTER TABLE ONLY public.lti_people
    ADD CONSTRAINT lti_people_proposed_account_fkey FOREIGN KEY (proposed_account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.members
    ADD CONSTRAINT members_batch_fkey FOREIGN KEY (batch) REFERENCES public.batches(id);
ALTER TABLE ONLY public.web_enrolments
    ADD CONSTRAINT web_enrolments_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_hand_in_members
    ADD CONSTRAINT web_hand_in_members_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_hand_in_members
    ADD CONSTRAINT web_hand_in_members_hand_in_fkey FOREIGN KEY (hand_in) REFERENCES public.web_hand_ins(id);
ALTER TABLE ONLY public.web_hand_ins
    ADD CONSTRAINT web_hand_ins_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_inquiries
    ADD CONSTRAINT web_inquiries_hand_in_fkey FOREIGN KEY (hand_in) REFERENCES public.web_hand_ins(id);
ALTER TABLE ONLY public.web_inquiry_entries
    ADD CONSTRAINT web_inquiry_entries_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_inquiry_entries
    ADD CONSTRAINT web_inquiry_entries_inquiry_fkey FOREIGN KEY (inquiry) REFERENCES public.web_inquiries(id);
ALTER TABLE ONLY public.web_inquiry_readers
    ADD CONSTRAINT web_inquiry_readers_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_inquiry_readers
    ADD CONSTRAINT web_inquiry_readers_inquiry_fkey FOREIGN KEY (inquiry) REFERENCES public.web_inquiries(id);
ALTER TABLE ONLY public.web_invitations
    ADD CONSTRAINT web_invitations_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_mail_settings
    ADD CONSTRAINT web_mail_settings_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_mails
    ADD CONSTRAINT web_mails_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_mails
    ADD CONSTRAINT web_mails_hand_in_fkey FOREIGN KEY (hand_in) REFERENCES public.web_hand_ins(id);
ALTER TABLE ONLY public.web_mails
    ADD CONSTRAINT web_mails_inquiry_fkey FOREIGN KEY (inquiry) REFERENCES public.web_inquiries(id);
ALTER TABLE ONLY public.web_publications
    ADD CONSTRAINT web_publications_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_regrade_trial_marks
    ADD CONSTRAINT web_regrade_trial_marks_hand_in_fkey FOREIGN KEY (hand_in) REFERENCES public.web_hand_ins(id);
ALTER TABLE ONLY public.web_regrade_trial_marks
    ADD CONSTRAINT web_regrade_trial_marks_trial_fkey FOREIGN KEY (trial) REFERENCES public.web_regrade_trials(id);
ALTER TABLE ONLY public.web_regrade_trials
    ADD CONSTRAINT web_regrade_trials_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
ALTER TABLE ONLY public.web_sign_ins
    ADD CONSTRAINT web_sign_ins_account_fkey FOREIGN KEY (account) REFERENCES public.web_accounts(id);
