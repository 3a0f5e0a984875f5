-- What each family of URLs has brought, what was caught because of it, and what a person let go again.

CREATE TABLE pattern_grown (             -- URLs of a site that may come from one program (frontier/traps/pattern.py)
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL REFERENCES site,
  pattern TEXT NOT NULL,
  kind INTEGER NOT NULL DEFAULT 0,       -- 0 numbered, 1 all that one program makes, 2 a plain folder
  urls INTEGER NOT NULL DEFAULT 0,       -- accepted so far, against PATTERN_PAGES; 0 for kinds 1 and 2
  fresh INTEGER NOT NULL DEFAULT 0,      -- pages that said something new
  wasted INTEGER NOT NULL DEFAULT 0,     -- pages that did not
  barren INTEGER NOT NULL DEFAULT 0,     -- those of them that no fresh one has made up for (traps/patience.py)
  wasted_bytes INTEGER NOT NULL DEFAULT 0,
  wasted_seconds REAL NOT NULL DEFAULT 0,
  closed TEXT,                           -- why nothing more of it is asked for; NULL: it is open
  exempt INTEGER NOT NULL DEFAULT 0,     -- 1: a person released it
  UNIQUE (site, pattern)
);
INSERT INTO pattern_grown (site, pattern, urls) SELECT site, pattern, urls FROM pattern;
DROP TABLE pattern;
ALTER TABLE pattern_grown RENAME TO pattern;

CREATE TABLE pattern_line (              -- lines of text that its pages have had, numbers aside
  pattern INTEGER NOT NULL REFERENCES pattern,
  mark INTEGER NOT NULL,                 -- 64 bits of a hash
  PRIMARY KEY (pattern, mark)
) WITHOUT ROWID;

CREATE TABLE trapped (                   -- suppressed URLs that wait for their pattern to earn more, or to be released
  url INTEGER PRIMARY KEY REFERENCES url,
  pattern INTEGER NOT NULL REFERENCES pattern
);
CREATE INDEX trapped_pattern ON trapped (pattern, url);

CREATE TABLE exemption (                 -- URLs that a person released: no rule about traps holds for them
  target TEXT PRIMARY KEY,               -- canonical; one that ends in * is for all that begin so
  at REAL NOT NULL
);

ALTER TABLE site ADD COLUMN domain TEXT; -- its registered domain, where SCOPE is domain: budgets are for the whole of it
CREATE INDEX site_domain ON site (domain) WHERE domain IS NOT NULL;
