-- What of a page is compared with other pages to find spoofing, and the signals that came of it (tables/signals.py).

CREATE TABLE trait (
  url INTEGER PRIMARY KEY REFERENCES url,
  residue INTEGER NOT NULL,              -- a key of its text without the words of its own name; 0: too short or too long
  words INTEGER NOT NULL,                -- of its text
  lead TEXT NOT NULL                     -- the one other host to which it links; empty: none, or several
);
CREATE INDEX trait_residue ON trait (residue) WHERE residue != 0;

CREATE TABLE signal (                    -- of several pages together; a page's own are in its content
  url INTEGER NOT NULL REFERENCES url,
  name TEXT NOT NULL,                    -- urls/signals.py, SignalName
  value REAL NOT NULL,                   -- 0 to 1
  evidence TEXT NOT NULL,
  PRIMARY KEY (url, name)
) WITHOUT ROWID;
