-- Where in the archive files (WARC=yes) does each exchange stand? As a CDX index has it: file, offset, length.

CREATE TABLE archive_file (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE              -- in the folder `archive`; while it is written, the file's own name ends in .open
);

CREATE TABLE archived (
  file INTEGER NOT NULL REFERENCES archive_file(id),
  start INTEGER NOT NULL,                -- in bytes: from here to `stop` stand all records of the exchange
  stop INTEGER NOT NULL,
  offset INTEGER NOT NULL,               -- in bytes: the answer's record, of `length`; 0 and 0: no answer came
  length INTEGER NOT NULL,
  address TEXT NOT NULL,                 -- WARC-Target-URI
  at REAL NOT NULL,                      -- WARC-Date, seconds since the epoch: when the request left
  kind TEXT NOT NULL,                    -- of the answer's record: response, revisit, or nothing
  status INTEGER,
  payload BLOB,                          -- SHA-1 of the payload; NULL: there is none, or it is not kept
  record BLOB NOT NULL,                  -- the UUID of the answer's record
  forgotten INTEGER NOT NULL DEFAULT 0,  -- a person took it out: the bytes are overwritten, and then the row goes
  PRIMARY KEY (file, start)
) WITHOUT ROWID;

CREATE INDEX archived_address ON archived (address, at);
CREATE INDEX archived_payload ON archived (payload) WHERE kind = 'response' AND payload IS NOT NULL;
CREATE INDEX archived_forgotten ON archived (file) WHERE forgotten;
