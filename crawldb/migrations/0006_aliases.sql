-- Which URLs of a site are one page, which seeds are marked, and patterns and a file on the blacklist.

CREATE TABLE site_option (               -- what is switched on for a site (frontier/options/)
  site TEXT NOT NULL,                    -- by name: it may be said before the site is known
  option TEXT NOT NULL,                  -- frontier/options/option.py
  names TEXT NOT NULL,                   -- JSON: parameters, index pages or the other site; []: the usual ones
  origin TEXT NOT NULL,                  -- 'seeds': the seeds file says so; 'person': suggest --apply did
  at REAL NOT NULL,
  PRIMARY KEY (site, option)
) WITHOUT ROWID;

CREATE TABLE option_change (             -- one row: how often site_option was changed, for a crawl that runs meanwhile
  id INTEGER PRIMARY KEY CHECK (id = 1),
  times INTEGER NOT NULL,
  settled INTEGER NOT NULL               -- as often it was when the URLs were last brought into line
);
INSERT INTO option_change VALUES (1, 0, 0);

CREATE TABLE seed_mark (                 -- what kind of page a seeds file calls a seed
  url INTEGER PRIMARY KEY REFERENCES url,
  kind TEXT NOT NULL CHECK (kind IN ('popular', 'new', 'rare'))
);

CREATE TABLE block_with_patterns (
  target TEXT PRIMARY KEY,               -- a site, a canonical URL, or a pattern of either with *
  kind TEXT NOT NULL CHECK (kind IN ('site', 'url', 'pattern')),
  reason TEXT NOT NULL,
  at REAL NOT NULL,
  origin TEXT NOT NULL DEFAULT 'person'  -- 'file': BLACKLIST_FILE says so, and leaving it there lifts it
);
INSERT INTO block_with_patterns (target, kind, reason, at) SELECT target, kind, reason, at FROM block;
DROP TABLE block;
ALTER TABLE block_with_patterns RENAME TO block;
