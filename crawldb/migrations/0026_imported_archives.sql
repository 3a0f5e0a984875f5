-- Archives that other programs wrote and that were imported, and what each held (crawldb/tables/imports.py).

CREATE TABLE imported_archive (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,           -- of its bytes: a file is known again by them, whatever its name is
  name TEXT NOT NULL,                    -- of the file, without its folder
  size INTEGER NOT NULL,                 -- bytes
  software TEXT NOT NULL DEFAULT '',     -- that wrote it, by its warcinfo record; '': it does not say
  began_at REAL NOT NULL,
  ended_at REAL,                         -- NULL: it has not been read to its end
  surveyed INTEGER NOT NULL DEFAULT 0,   -- 1: its robots.txt files, its sites and its methods are known
  member INTEGER NOT NULL DEFAULT 0,     -- where the next record begins: the offset in the file of its member …
  inside INTEGER NOT NULL DEFAULT 0,     -- … and how many bytes into what that unpacks to
  account TEXT NOT NULL DEFAULT '{}',    -- JSON: how many records came to which end
  without_robots INTEGER NOT NULL DEFAULT 0  -- pages that were read though no robots.txt of their origin is known
);
CREATE TABLE imported_site (             -- the sites of its captures are sites of this crawl, like those of the seeds
  name TEXT PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE other_method (              -- records that are no pages: answers to POST, HEAD and others, and to made-up addresses
  archive INTEGER NOT NULL REFERENCES imported_archive,
  record INTEGER NOT NULL,               -- 64 bits of a hash of its WARC-Record-ID
  PRIMARY KEY (archive, record)
) WITHOUT ROWID;
CREATE TABLE capture (                   -- what `fetch` is for requests of our own: a row an answer in an archive
  archive INTEGER NOT NULL REFERENCES imported_archive,
  member INTEGER NOT NULL,
  inside INTEGER NOT NULL,
  url INTEGER NOT NULL REFERENCES url,
  at REAL NOT NULL,                      -- its WARC-Date
  status INTEGER,
  size INTEGER NOT NULL,                 -- bytes of the body
  rule TEXT NOT NULL,                    -- how it ended
  payload TEXT NOT NULL,                 -- its WARC-Payload-Digest; '': it has none
  PRIMARY KEY (archive, member, inside)
) WITHOUT ROWID;
CREATE INDEX capture_url ON capture (url, at);
CREATE INDEX capture_payload ON capture (payload) WHERE payload != '';
