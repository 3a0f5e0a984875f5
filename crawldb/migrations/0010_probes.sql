-- Does a site have pages for names that nobody gave? What was asked to find that out (frontier/endings/probe.py).

ALTER TABLE pattern ADD COLUMN grown INTEGER NOT NULL DEFAULT 0;     -- fresh pages that the pattern itself led to
ALTER TABLE pattern ADD COLUMN bare INTEGER NOT NULL DEFAULT 0;      -- of them, those of a tree that only name links
ALTER TABLE pattern ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;  -- traps/standing.py

CREATE TABLE probe (                     -- a made-up address; it is in `url` too, suppressed once it is answered
  url INTEGER PRIMARY KEY REFERENCES url,
  pattern INTEGER NOT NULL REFERENCES pattern,
  news INTEGER                           -- traps/standing.py; 0: no page; NULL: no answer
);
CREATE INDEX probe_pattern ON probe (pattern);
