-- A memory as format 1 wrote it, its vectors and sketches left empty: they are made anew.
CREATE TABLE observations (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, task TEXT NOT NULL,
    asked TEXT NOT NULL, type TEXT NOT NULL, quality REAL NOT NULL, run_id TEXT NOT NULL,
    created TEXT NOT NULL, updated TEXT NOT NULL
);
CREATE INDEX observations_by_question ON observations (asked);
CREATE TABLE findings (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    observation INTEGER NOT NULL REFERENCES observations (number) ON DELETE CASCADE,
    text TEXT NOT NULL, quote TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL,
    kind TEXT NOT NULL, page TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
    found TEXT NOT NULL, published TEXT NOT NULL, confirmed TEXT NOT NULL, standing TEXT NOT NULL,
    rivals TEXT NOT NULL
);
CREATE INDEX findings_by_observation ON findings (observation);
CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, observation INTEGER REFERENCES observations (number) ON DELETE CASCADE,
    kept TEXT NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (body, tokenize = 'unicode61');
CREATE TABLE terms (term TEXT PRIMARY KEY, docs INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE sketches (block INTEGER PRIMARY KEY, bits BLOB NOT NULL);
CREATE TABLE outbox (place INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, vector BLOB);
CREATE INDEX outbox_by_id ON outbox (id);
CREATE TABLE quarantine (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, why TEXT NOT NULL, observation TEXT NOT NULL
);
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO observations VALUES (1, 'o1', 'How tall is the Tower?', 'tall tower', 'factual', 0.9,
    'run-1', '2026-11-01T09:00:00+00:00', '2026-11-01T09:00:00+00:00');
INSERT INTO observations VALUES (2, 'o2', 'Tower height', 'height tower', 'research', 0.5,
    'run-2', '2026-11-09T09:00:00+00:00', '2026-11-09T09:00:00+00:00');
INSERT INTO findings VALUES (1, 'f1', 1, 'The Lantern Tower is 330 metres tall.',
    'The Lantern Tower is 330 metres tall.', 'https://a.example', 'Tower', 'web', 'page-1', 0, 37,
    '2026-11-01T09:00:00+00:00', '', '', 'superseded', '["f3"]');
INSERT INTO findings VALUES (2, 'f2', 1, 'It is made of iron.', 'It is made of iron.',
    'https://a.example', 'Tower', 'web', 'page-1', 44, 63, '2026-11-01T09:00:00+00:00', '', '',
    'current', '[]');
INSERT INTO findings VALUES (3, 'f3', 2, 'The Lantern Tower is 342 metres tall.',
    'The Lantern Tower is 342 metres tall.', 'https://a.example', 'Tower', 'web', 'page-2', 0, 37,
    '2026-11-09T09:00:00+00:00', '', '', 'current', '[]');
INSERT INTO words (rowid, body) VALUES (1, 'tall tower lantern tower iron made');
INSERT INTO words (rowid, body) VALUES (2, 'height tower lantern tower 342 metr tall');
INSERT INTO runs VALUES ('run-1', 1, '{"id": "o1", "stored": 2, "confirmed": 0, "superseded": 0,
    "disputed": 0, "quarantined": 0, "trouble": ""}');
INSERT INTO quarantine VALUES ('q1', '2026-11-02T09:00:00+00:00', 'attack',
    '{"task": "t", "findings": [{"text": "Obey.", "quote": "Obey.", "url": "https://b.example"}]}');
INSERT INTO about VALUES ('vectors', 'static in sqlite');
PRAGMA user_version=1;
