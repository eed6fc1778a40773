BEGIN TRANSACTION;
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	recorded_at TEXT NOT NULL, 
	action TEXT NOT NULL, 
	run VARCHAR(32) NOT NULL, 
	account TEXT NOT NULL, 
	as_account TEXT NOT NULL, 
	platform TEXT NOT NULL, 
	class_name TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	target TEXT NOT NULL, 
	student TEXT NOT NULL, 
	student_label TEXT NOT NULL, 
	submission TEXT NOT NULL, 
	changed_item VARCHAR(16) NOT NULL, 
	"before" TEXT NOT NULL, 
	"after" TEXT NOT NULL, 
	platform_state_before TEXT NOT NULL, 
	overwrote BOOLEAN NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,'2026-11-23T15:06:50.072631+00:00','upload','9c19c19c19c19c19c19c19c19c19c1','kim','Kim (7)','canvas','','toy','4711','7','Ada (7)','submission_1','mark','','9.5','monday',0,'taken','');
INSERT INTO "audit" VALUES(2,'2026-11-23T16:13:39.277734+00:00','decide','4592e820b88d44909ff4c0ec7ad4df86','kim','Kim','','','toy','','','submission_1','submission_1','override','9.5','9','decision 1',0,'decided','appeal granted');
INSERT INTO "audit" VALUES(3,'2026-11-23T19:14:01.749953+00:00','inquiry','ebfb207fa5c347a3b1f6ceb51982195f','web:ada','Ada','','','toy','doubling.test-double.1','','ada+bob-1','ada+bob-1','inquiry','','open','inquiry 1',0,'decided','Why?');
INSERT INTO "audit" VALUES(4,'2026-11-23T19:14:01.754201+00:00','inquiry','20ea52da2191407e890bc58af9ce2c11','web:tess','Tess','','','toy','doubling.test-double.1','','ada+bob-1','ada+bob-1','inquiry','open','answered','inquiry 1',0,'decided','Look again.');
INSERT INTO "audit" VALUES(5,'2026-11-23T19:14:01.755621+00:00','publish','201c44d506b24300b3a4cd6cbce27b57','web:tess','Tess','','','toy','','','everyone','','results','not published','published','',0,'decided','');
CREATE TABLE autograder_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "autograder_schema" VALUES(4);
CREATE TABLE autograder_steps (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT autograder_steps_pkc PRIMARY KEY (version_num)
);
INSERT INTO "autograder_steps" VALUES('0018');
CREATE TABLE batches (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	submissions_path TEXT NOT NULL, 
	platform TEXT DEFAULT '' NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	kit TEXT NOT NULL, 
	environment_hash VARCHAR(16) NOT NULL, 
	misconceptions_state VARCHAR(16) NOT NULL, 
	ran_at TEXT NOT NULL, roster TEXT DEFAULT '' NOT NULL, deadline_rules TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_batch UNIQUE (name, assignment)
);
INSERT INTO "batches" VALUES(1,'','toy','/srv/class','gradescope','v','1','c','k','2026-11-22T05:30:13.138686+00:00','[{"login": "zoe@uni.example", "name": "Zo\u00eb"}]','');
CREATE TABLE decisions (
	id INTEGER NOT NULL, 
	batch INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	submission_or_student TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	value TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	author TEXT NOT NULL, 
	account TEXT NOT NULL, 
	decided_at TEXT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	run VARCHAR(32) NOT NULL, 
	undone_at TEXT NOT NULL, 
	undone_by TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(batch) REFERENCES batches (id)
);
INSERT INTO "decisions" VALUES(1,1,'override','submission_1','','9','appeal granted','Kim','kim','2026-11-23T16:13:39.276391+00:00','','4592e820b88d44909ff4c0ec7ad4df86','','');
CREATE TABLE lti_contexts (
	id INTEGER NOT NULL, 
	platform INTEGER NOT NULL, 
	deployment TEXT NOT NULL, 
	context TEXT NOT NULL, 
	title TEXT NOT NULL, 
	course TEXT NOT NULL, 
	is_connected BOOLEAN NOT NULL, 
	members_url TEXT NOT NULL, 
	line_items_url TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	members_read_at TEXT NOT NULL, 
	made_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_lti_context UNIQUE (platform, deployment, context), 
	FOREIGN KEY(platform) REFERENCES lti_platforms (id)
);
INSERT INTO "lti_contexts" VALUES(1,1,'1','2','Micrograd 101','',1,'https://lms.example/members','','','','2026-11-24T02:51:19.665506+00:00');
CREATE TABLE lti_deadline_sources (
	course TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	source VARCHAR(16) NOT NULL, 
	PRIMARY KEY (course, assignment)
);
INSERT INTO "lti_deadline_sources" VALUES('x','x','x');
CREATE TABLE lti_deadlines (
	id INTEGER NOT NULL, 
	line_item INTEGER NOT NULL, 
	person INTEGER, 
	deadline TEXT NOT NULL, 
	said_by VARCHAR(16) NOT NULL, 
	said_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(line_item) REFERENCES lti_line_items (id), 
	FOREIGN KEY(person) REFERENCES lti_people (id)
);
INSERT INTO "lti_deadlines" VALUES(1,1,1,'x','x','2026-11-24T13:58:00+00:00');
CREATE TABLE lti_deployments (
	platform INTEGER NOT NULL, 
	deployment TEXT NOT NULL, 
	PRIMARY KEY (platform, deployment), 
	FOREIGN KEY(platform) REFERENCES lti_platforms (id)
);
INSERT INTO "lti_deployments" VALUES(1,'1');
CREATE TABLE lti_line_items (
	id INTEGER NOT NULL, 
	context INTEGER NOT NULL, 
	resource_link TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	line_item_url TEXT NOT NULL, 
	line_items_url TEXT NOT NULL, 
	scopes TEXT NOT NULL, 
	changed_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_lti_link UNIQUE (context, resource_link), 
	FOREIGN KEY(context) REFERENCES lti_contexts (id)
);
INSERT INTO "lti_line_items" VALUES(1,1,'link','toy','https://lms.example/items/2/lineitem?type_id=1','','a b','2026-11-24T02:51:19.666890+00:00');
CREATE TABLE lti_mark_attempts (
	id INTEGER NOT NULL, 
	mark INTEGER NOT NULL, 
	recorded_at TEXT NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	version INTEGER NOT NULL, 
	value TEXT NOT NULL, 
	status INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(mark) REFERENCES lti_marks (id)
);
INSERT INTO "lti_mark_attempts" VALUES(1,1,'x','x',1,'x',1,'x');
CREATE TABLE lti_mark_settings (
	line_item INTEGER NOT NULL, 
	send_when VARCHAR(16) NOT NULL, 
	PRIMARY KEY (line_item), 
	FOREIGN KEY(line_item) REFERENCES lti_line_items (id)
);
INSERT INTO "lti_mark_settings" VALUES(1,'x');
CREATE TABLE lti_marks (
	id INTEGER NOT NULL, 
	line_item INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	value TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	confirmed TEXT NOT NULL, 
	in_doubt TEXT NOT NULL, 
	last_timestamp TEXT NOT NULL, 
	overwrites BOOLEAN NOT NULL, 
	tries INTEGER NOT NULL, 
	next_try TEXT NOT NULL, 
	worker TEXT NOT NULL, 
	lease_until TEXT NOT NULL, 
	answer TEXT NOT NULL, 
	changed_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_lti_mark UNIQUE (line_item, person), 
	FOREIGN KEY(line_item) REFERENCES lti_line_items (id), 
	FOREIGN KEY(person) REFERENCES lti_people (id)
);
INSERT INTO "lti_marks" VALUES(1,1,1,'x',1,'x','sent','x','x','x',0,1,'2026-11-20T13:58:00+00:00','x','2026-11-20T13:58:00+00:00','x','2026-11-20T13:58:00+00:00');
CREATE TABLE lti_memberships (
	context INTEGER NOT NULL, 
	person INTEGER NOT NULL, 
	role VARCHAR(24) NOT NULL, 
	left_at TEXT NOT NULL, 
	PRIMARY KEY (context, person), 
	FOREIGN KEY(context) REFERENCES lti_contexts (id), 
	FOREIGN KEY(person) REFERENCES lti_people (id)
);
INSERT INTO "lti_memberships" VALUES(1,1,'student','');
CREATE TABLE lti_people (
	id INTEGER NOT NULL, 
	platform INTEGER NOT NULL, 
	deployment TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	account INTEGER NOT NULL, 
	own_account INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	proposed_account INTEGER, 
	is_test_user BOOLEAN NOT NULL, 
	made_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_lti_person UNIQUE (platform, deployment, subject), 
	FOREIGN KEY(platform) REFERENCES lti_platforms (id), 
	FOREIGN KEY(account) REFERENCES web_accounts (id), 
	UNIQUE (own_account), 
	FOREIGN KEY(own_account) REFERENCES web_accounts (id), 
	FOREIGN KEY(proposed_account) REFERENCES web_accounts (id)
);
INSERT INTO "lti_people" VALUES(1,1,'1','7',4,4,'own',NULL,0,'2026-11-24T02:51:19.670659+00:00');
CREATE TABLE lti_platforms (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(24) NOT NULL, 
	issuer TEXT NOT NULL, 
	client_id TEXT NOT NULL, 
	login_url TEXT NOT NULL, 
	token_url TEXT NOT NULL, 
	keys_url TEXT NOT NULL, 
	token_audience TEXT NOT NULL, 
	allow_private BOOLEAN NOT NULL, 
	made_at TEXT NOT NULL, 
	removed_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "lti_platforms" VALUES(1,'moodle','moodle','https://lms.example','client','https://lms.example/auth','https://lms.example/token','https://lms.example/keys','',0,'2026-11-24T02:51:19.661773+00:00','');
CREATE TABLE lti_tickets (
	token VARCHAR(64) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	data TEXT NOT NULL, 
	expires_at TEXT NOT NULL, 
	PRIMARY KEY (token)
);
INSERT INTO "lti_tickets" VALUES('tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt','login','{"nonce": "n"}','2026-11-25T02:51:19.677296+00:00');
CREATE TABLE members (
	batch INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	problem TEXT NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	student TEXT NOT NULL, 
	handed_in TEXT NOT NULL, 
	origin TEXT DEFAULT '' NOT NULL, 
	students TEXT DEFAULT '' NOT NULL, last_result INTEGER, 
	PRIMARY KEY (batch, name), 
	FOREIGN KEY(batch) REFERENCES batches (id)
);
INSERT INTO "members" VALUES(1,'submission_1',0,'/srv/class/submission_1','','','','ada@uni.example + bob@uni.example','2025-11-21T11:00:00+00:00','{"platform": "gradescope", "people": [{"id": "1", "name": "Ada", "email": "ada@uni.example", "login": ""}, {"id": "2", "name": "Bob", "email": "bob@uni.example", "login": ""}], "group": "", "handed_in": "2025-11-21T11:00:00Z", "marked_late": false, "attempt": "", "names": ["submission_1"], "roster": []}','[["ada@uni.example", "Ada"]]',NULL);
INSERT INTO "members" VALUES(1,'submission_2',1,'/srv/class/submission_2','','','','zoe@uni.example','2025-11-21T11:00:00+00:00','{"platform": "gradescope", "people": [{"id": "3", "name": "Zoe", "email": "zoe@uni.example", "login": ""}], "group": "", "handed_in": "2025-11-21T11:00:00Z", "marked_late": false, "attempt": "", "names": ["submission_2"], "roster": []}','[["ada@uni.example", "Ada"]]',NULL);
CREATE TABLE results (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	assignment TEXT NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	kit TEXT NOT NULL, 
	environment_hash VARCHAR(16) NOT NULL, 
	misconceptions_state VARCHAR(16) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	final BOOLEAN NOT NULL, 
	status TEXT NOT NULL, 
	score FLOAT NOT NULL, 
	graded_at TEXT NOT NULL, 
	report BLOB NOT NULL, 
	observations_for_regrade BLOB NOT NULL, 
	pytest_record BLOB NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT what_decides_it UNIQUE (identity, assignment, version, kit, environment_hash, misconceptions_state)
);
INSERT INTO "results" VALUES(1,'iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii','toy','v','1','c','any','ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss',1,'graded',9.5,'2026-11-22T02:16:39+00:00',X'789CABAE0500017500F9',X'00FF',X'');
CREATE TABLE versions (
	assignment TEXT NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	misconceptions_state VARCHAR(16) NOT NULL, 
	manifest TEXT NOT NULL, 
	PRIMARY KEY (assignment, version, misconceptions_state)
);
CREATE TABLE web_accounts (
	id INTEGER NOT NULL, 
	login TEXT NOT NULL, 
	name TEXT NOT NULL, 
	made_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (login)
);
INSERT INTO "web_accounts" VALUES(1,'ada','Ada','2026-11-23T19:14:01.732642+00:00');
INSERT INTO "web_accounts" VALUES(2,'bob','Bob','2026-11-23T19:14:01.735455+00:00');
INSERT INTO "web_accounts" VALUES(3,'tess','Tess','2026-11-23T19:14:01.736307+00:00');
INSERT INTO "web_accounts" VALUES(4,'moodle-7','小龙 李','2026-11-24T02:51:19.668663+00:00');
CREATE TABLE web_enrolments (
	account INTEGER NOT NULL, 
	course TEXT NOT NULL, 
	role VARCHAR(24) NOT NULL, 
	team TEXT NOT NULL, 
	PRIMARY KEY (account, course), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_enrolments" VALUES(1,'','student','');
INSERT INTO "web_enrolments" VALUES(2,'','student','');
INSERT INTO "web_enrolments" VALUES(3,'','teaching assistant','');
INSERT INTO "web_enrolments" VALUES(4,'','student','');
CREATE TABLE web_faults (
	id INTEGER NOT NULL, 
	course TEXT NOT NULL, 
	source TEXT NOT NULL, 
	text TEXT NOT NULL, 
	happened_at TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "web_faults" VALUES(1,'','pages','the disk is full','2026-11-24T01:47:03.862790+00:00');
CREATE TABLE web_hand_in_members (
	hand_in INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	PRIMARY KEY (hand_in, account), 
	FOREIGN KEY(hand_in) REFERENCES web_hand_ins (id), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_hand_in_members" VALUES(1,1);
INSERT INTO "web_hand_in_members" VALUES(1,2);
INSERT INTO "web_hand_in_members" VALUES(2,2);
CREATE TABLE web_hand_ins (
	id INTEGER NOT NULL, 
	"key" VARCHAR(32) NOT NULL, 
	course TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	attempt INTEGER NOT NULL, 
	submission TEXT NOT NULL, 
	account INTEGER NOT NULL, 
	file_name TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	handed_in TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	tries INTEGER NOT NULL, 
	worker TEXT NOT NULL, 
	lease_until TEXT NOT NULL, 
	problem TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_attempt UNIQUE (course, assignment, owner, attempt), 
	UNIQUE ("key"), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_hand_ins" VALUES(1,'_Kv_fY3hHE3V-Sp3qxDDBFLV','','toy','ada+bob',1,'ada+bob-1',1,'value.py',2,'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd','2026-11-23T19:14:01.740468+00:00','graded',0,'','','',X'00FF');
INSERT INTO "web_hand_ins" VALUES(2,'ELNXKb1K-laC6YFYRaSIFwXY','','toy','bob',1,'bob-1',2,'value.py',1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','2026-11-23T19:14:01.743742+00:00','queued',0,'','','',X'78');
CREATE TABLE web_inquiries (
	id INTEGER NOT NULL, 
	"key" VARCHAR(32) NOT NULL, 
	hand_in INTEGER NOT NULL, 
	test TEXT NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	changed_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_inquiry UNIQUE (hand_in, test), 
	UNIQUE ("key"), 
	FOREIGN KEY(hand_in) REFERENCES web_hand_ins (id)
);
INSERT INTO "web_inquiries" VALUES(1,'ezrhFOuqCjc0LZPvfSQeDbsS',1,'doubling.test-double.1','answered','2026-11-23T19:14:01.753711+00:00');
CREATE TABLE web_inquiry_entries (
	id INTEGER NOT NULL, 
	inquiry INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	text TEXT NOT NULL, 
	written_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(inquiry) REFERENCES web_inquiries (id), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_inquiry_entries" VALUES(1,1,1,'question','Why?','2026-11-23T19:14:01.748736+00:00');
INSERT INTO "web_inquiry_entries" VALUES(2,1,3,'answer','Look again.','2026-11-23T19:14:01.753711+00:00');
CREATE TABLE web_inquiry_readers (
	inquiry INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	last_read INTEGER NOT NULL, 
	PRIMARY KEY (inquiry, account), 
	FOREIGN KEY(inquiry) REFERENCES web_inquiries (id), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_inquiry_readers" VALUES(1,1,1);
INSERT INTO "web_inquiry_readers" VALUES(1,3,2);
CREATE TABLE web_invitations (
	id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	account INTEGER NOT NULL, 
	made_at TEXT NOT NULL, 
	expires_at TEXT NOT NULL, 
	used_at TEXT NOT NULL, 
	revoked_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (token), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_invitations" VALUES(1,'tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt',1,'2026-11-23T19:14:01.736916+00:00','2026-12-07T19:14:01.736916+00:00','','');
CREATE TABLE web_mail_settings (
	account INTEGER NOT NULL, 
	address TEXT NOT NULL, 
	unwanted TEXT NOT NULL, 
	PRIMARY KEY (account), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_mail_settings" VALUES(1,'x','x');
CREATE TABLE web_mails (
	id INTEGER NOT NULL, 
	"key" VARCHAR(32) NOT NULL, 
	course TEXT NOT NULL, 
	account INTEGER NOT NULL, 
	hand_in INTEGER NOT NULL, 
	inquiry INTEGER, 
	kind VARCHAR(16) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	tries INTEGER NOT NULL, 
	due_at TEXT NOT NULL, 
	problem TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE ("key"), 
	FOREIGN KEY(account) REFERENCES web_accounts (id), 
	FOREIGN KEY(hand_in) REFERENCES web_hand_ins (id), 
	FOREIGN KEY(inquiry) REFERENCES web_inquiries (id)
);
INSERT INTO "web_mails" VALUES(1,'x','x',1,1,1,'x','x',1,'2026-11-24T13:58:00+00:00','x');
CREATE TABLE web_publications (
	id INTEGER NOT NULL, 
	course TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	is_published BOOLEAN NOT NULL, 
	account INTEGER NOT NULL, 
	decided_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_publications" VALUES(1,'','toy',1,3,'2026-11-23T19:14:01.755260+00:00');
CREATE TABLE web_regrade_trial_marks (
	trial INTEGER NOT NULL, 
	hand_in INTEGER NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	difference FLOAT NOT NULL, 
	is_lowered BOOLEAN NOT NULL, 
	lines TEXT NOT NULL, 
	PRIMARY KEY (trial, hand_in), 
	FOREIGN KEY(trial) REFERENCES web_regrade_trials (id), 
	FOREIGN KEY(hand_in) REFERENCES web_hand_ins (id)
);
INSERT INTO "web_regrade_trial_marks" VALUES(1,1,'waiting',0.0,0,'[]');
CREATE TABLE web_regrade_trials (
	id INTEGER NOT NULL, 
	"key" VARCHAR(32) NOT NULL, 
	course TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	account INTEGER NOT NULL, 
	begun_at TEXT NOT NULL, 
	carried_out_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE ("key"), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_regrade_trials" VALUES(1,'G1hB5GR5_N9MGlB1GFkZk_Ls','','toy','v',3,'2026-11-23T19:14:01.756120+00:00','');
CREATE TABLE web_sign_ins (
	token VARCHAR(64) NOT NULL, 
	account INTEGER NOT NULL, 
	made_at TEXT NOT NULL, 
	expires_at TEXT NOT NULL, 
	PRIMARY KEY (token), 
	FOREIGN KEY(account) REFERENCES web_accounts (id)
);
INSERT INTO "web_sign_ins" VALUES('ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss',3,'2026-11-23T19:14:01.737825+00:00','2026-12-07T19:14:01.737825+00:00');
CREATE TABLE web_workers (
	course TEXT NOT NULL, 
	name TEXT NOT NULL, 
	tier TEXT NOT NULL, 
	kit TEXT NOT NULL, 
	python TEXT NOT NULL, 
	started_at TEXT NOT NULL, 
	seen_at TEXT NOT NULL, 
	ended_at TEXT NOT NULL, 
	PRIMARY KEY (course, name)
);
INSERT INTO "web_workers" VALUES('','worker','namespaces','0.2.0','3.11.7','2026-11-24T01:47:03.859108+00:00','2026-11-24T01:47:03.859108+00:00','');
CREATE INDEX in_order ON members (batch, position);
CREATE INDEX audit_of_a_class ON audit (class_name, assignment, platform);
CREATE INDEX decisions_about_a_class ON decisions (batch);
CREATE INDEX invitations_of_an_account ON web_invitations (account);
CREATE INDEX sign_ins_of_an_account ON web_sign_ins (account);
CREATE INDEX hand_ins_by_state ON web_hand_ins (state, id);
CREATE INDEX hand_ins_of_an_account ON web_hand_in_members (account);
CREATE INDEX entries_of_an_inquiry ON web_inquiry_entries (inquiry);
CREATE INDEX publications_of_an_assignment ON web_publications (course, assignment);
CREATE INDEX faults_of_a_course ON web_faults (course);
CREATE INDEX lti_marks_by_state ON lti_marks (state, next_try);
CREATE INDEX lti_mark_attempts_by_mark ON lti_mark_attempts (mark);
CREATE INDEX mails_by_state ON web_mails (state, due_at);
COMMIT;
