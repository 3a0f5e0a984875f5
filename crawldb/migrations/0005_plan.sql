-- What a person was told before a big run, so that plan and actual can be set side by side.

CREATE TABLE plan (
  id INTEGER PRIMARY KEY,
  at REAL NOT NULL,                      -- seconds since the epoch
  run INTEGER REFERENCES run,            -- the trial that it was measured on
  estimate TEXT NOT NULL                 -- JSON: pages, requests, bytes, disk, memory, seconds, a site each
);
CREATE TABLE alarm (                     -- a site that mostly fails, one row a site and round
  site INTEGER NOT NULL REFERENCES site,
  round INTEGER NOT NULL REFERENCES round,
  at REAL NOT NULL,
  failed INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (site, round)
) WITHOUT ROWID;
-- What a run used; 0: it was killed before it could say so.
ALTER TABLE run ADD COLUMN peak_memory INTEGER NOT NULL DEFAULT 0;   -- bytes, of the process that fetches
ALTER TABLE run ADD COLUMN index_memory INTEGER NOT NULL DEFAULT 0;  -- bytes, of the index writer beside it
ALTER TABLE run ADD COLUMN received INTEGER NOT NULL DEFAULT 0;      -- bytes from the network, headers included
