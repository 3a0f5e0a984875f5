-- What became of each origin's robots.txt over time, so that a restart goes on from there (robots/access_state.py).
-- From here on, robots.state is what holds, and robots.body the latest file that came whole, whether it holds or not.

ALTER TABLE robots ADD COLUMN address TEXT NOT NULL DEFAULT '';        -- the URL that gave `body`
ALTER TABLE robots ADD COLUMN etag TEXT NOT NULL DEFAULT '';
ALTER TABLE robots ADD COLUMN last_modified TEXT NOT NULL DEFAULT '';
ALTER TABLE robots ADD COLUMN good_at REAL;          -- when `body` was last known to be the file; NULL: no file is kept
ALTER TABLE robots ADD COLUMN failing_since REAL;    -- the first of the failures in a row; NULL: it answers
ALTER TABLE robots ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;  -- in a row
UPDATE robots SET good_at = fetched_at WHERE state = 'PARSED';
UPDATE robots SET failing_since = fetched_at, failures = 1 WHERE state = 'CLOSED';

CREATE TABLE robots_change (             -- one row each time that something else holds for an origin than before
  id INTEGER PRIMARY KEY,
  origin TEXT NOT NULL,
  at REAL NOT NULL,                      -- seconds since the epoch
  state TEXT NOT NULL,                   -- robots/availability.py
  status INTEGER,                        -- NULL: no answer
  digest BLOB NOT NULL,                  -- of the file that decides; empty: none does
  reason TEXT NOT NULL
);
CREATE INDEX robots_change_origin ON robots_change (origin);

ALTER TABLE fetch ADD COLUMN origin TEXT;  -- whose robots.txt was asked for, a row a redirect; NULL: something else
UPDATE fetch SET origin = coalesce((SELECT origin FROM robots WHERE robots.fetched_at = fetch.at), '')
  WHERE url IS NULL AND rule = 'robots.txt';
