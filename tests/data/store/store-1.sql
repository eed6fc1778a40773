BEGIN TRANSACTION;
CREATE TABLE autograder_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "autograder_schema" VALUES(1);
CREATE TABLE batches (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	assignment TEXT NOT NULL, 
	source TEXT NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	kit TEXT NOT NULL, 
	conditions VARCHAR(16) NOT NULL, 
	known VARCHAR(16) NOT NULL, 
	ran_at TEXT NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT one_batch UNIQUE (name, assignment)
);
INSERT INTO "batches" VALUES(1,'','toy','/srv/class','v','1','c','k','2026-11-22T02:16:39.634862+00:00');
CREATE TABLE members (
	batch INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	problem TEXT NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	student TEXT NOT NULL, 
	handed_in TEXT NOT NULL, 
	PRIMARY KEY (batch, name), 
	FOREIGN KEY(batch) REFERENCES batches (id)
);
INSERT INTO "members" VALUES(1,'ada',0,'/srv/class/ada.py','','','','','');
CREATE TABLE results (
	id INTEGER NOT NULL, 
	identity VARCHAR(64) NOT NULL, 
	assignment TEXT NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	kit TEXT NOT NULL, 
	conditions VARCHAR(16) NOT NULL, 
	known VARCHAR(16) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	final BOOLEAN NOT NULL, 
	status TEXT NOT NULL, 
	score FLOAT NOT NULL, 
	graded_at TEXT NOT NULL, 
	report BLOB NOT NULL, 
	kept BLOB NOT NULL, 
	raw BLOB NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT what_decides_it UNIQUE (identity, assignment, version, kit, conditions, known)
);
CREATE TABLE versions (
	assignment TEXT NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	known VARCHAR(16) NOT NULL, 
	manifest TEXT NOT NULL, 
	PRIMARY KEY (assignment, version, known)
);
CREATE INDEX in_order ON members (batch, place);
COMMIT;
