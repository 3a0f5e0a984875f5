-- What reading a stored page again needs: the header lines that reading minds, and what is still to be read.
ALTER TABLE body ADD COLUMN headers TEXT;      -- JSON [[name, value], …]; NULL: an earlier Breadcrumb stored it
ALTER TABLE body ADD COLUMN leads BLOB;        -- digest of all that the page leads to; NULL: not known
ALTER TABLE body ADD COLUMN same_as INTEGER;   -- the page whose row has these very bytes; `data` is empty then
CREATE INDEX body_same_as ON body (same_as) WHERE same_as IS NOT NULL;

CREATE TABLE rereading (                 -- one row: the run of `reparse` that is not at its end
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version TEXT NOT NULL,                 -- by which rules, and which pages: another version begins anew
  began_at REAL NOT NULL,
  pages INTEGER NOT NULL,                -- to be read in all
  changed INTEGER NOT NULL DEFAULT 0     -- of those that were read
);
CREATE TABLE to_read_again (             -- the pages that are left of it, in this order
  place INTEGER PRIMARY KEY,
  url INTEGER NOT NULL
);
