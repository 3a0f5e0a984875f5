-- When is a page to be looked at again? What its visits have told. And what a part of a divided crawl hands to others.

ALTER TABLE url ADD COLUMN next_at REAL NOT NULL DEFAULT 0;  -- when a revisit is due (frontier/revisit.py); 0: at once
ALTER TABLE url ADD COLUMN worth REAL NOT NULL DEFAULT 1;    -- frontier/priority.py: the more the sooner; 1: not judged

CREATE TABLE visit (
  url INTEGER PRIMARY KEY REFERENCES url,
  visits INTEGER NOT NULL,               -- that found the page again, and could be compared with the one before
  unchanged INTEGER NOT NULL,            -- of those
  seconds REAL NOT NULL,                 -- between these visits, all together
  seen_at REAL NOT NULL,                 -- when it was last looked at
  still_since REAL NOT NULL              -- when it was last found to have changed, or first fetched
);

CREATE TABLE part (                      -- of a crawl that several processes share; no row: this folder has all of it
  one INTEGER PRIMARY KEY CHECK (one = 1),
  number INTEGER NOT NULL,               -- from 1 up
  of INTEGER NOT NULL
);
CREATE TABLE outbox (                    -- URLs of hosts that belong to another part, until that part has taken them
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL UNIQUE,              -- canonical
  part INTEGER NOT NULL,                 -- whose it is
  depth INTEGER NOT NULL,
  found_by TEXT NOT NULL,
  found_on TEXT NOT NULL                 -- the page that led to it, or ''
);
CREATE INDEX outbox_part ON outbox (part, seq);
CREATE TABLE inbox (                     -- how far each other part's outbox has been taken
  part INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL
);
