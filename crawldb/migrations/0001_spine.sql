-- What a crawl knows. One row of `url` a discovered URL, in exactly one state: that is how the accounting adds up.

CREATE TABLE site (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,             -- host, or host:port (frontier/site.py)
  urls INTEGER NOT NULL DEFAULT 0        -- URLs accepted so far, against SITE_PAGES
);

CREATE TABLE round (
  id INTEGER PRIMARY KEY,
  opened_at REAL NOT NULL,               -- seconds since the epoch, as all times here
  closed_at REAL                         -- NULL: open, and the next run goes on with it
);

CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL REFERENCES round,
  pid INTEGER NOT NULL,
  policy TEXT NOT NULL,                  -- a digest of scope, ports and limits (frontier/review.py)
  started_at REAL NOT NULL,
  ended_at REAL,                         -- NULL with no such process: it was killed
  ending TEXT,
  waiting INTEGER NOT NULL DEFAULT 0     -- URLs that had to wait when it ended
);

CREATE TABLE url (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,              -- canonical (frontier/canonical.py)
  site INTEGER NOT NULL REFERENCES site,
  state INTEGER NOT NULL,                -- state.py: 0 queued, 1 leased, 2 done, 3 failed, 4 suppressed
  seed INTEGER NOT NULL DEFAULT 0,       -- 1: in the root set
  depth INTEGER NOT NULL,                -- links from a seed
  hops INTEGER NOT NULL DEFAULT 0,       -- redirects in a row that led here
  found_on INTEGER REFERENCES url,
  found_by TEXT NOT NULL,                -- seed, submit, link, redirect, refresh
  found_at REAL NOT NULL,
  due_at REAL NOT NULL DEFAULT 0,        -- not to be fetched before
  attempts INTEGER NOT NULL DEFAULT 0,   -- in this round
  misses INTEGER NOT NULL DEFAULT 0,     -- 404 or 410 in a row
  ended_in INTEGER,                      -- the round in which it was last done, failed or suppressed
  rule TEXT,                             -- how it ended: fetched, moved, gone, robots, depth …
  moved_to INTEGER REFERENCES url
);
CREATE INDEX url_queue ON url (site, depth, id) WHERE state = 0;
CREATE INDEX url_due ON url (site, due_at) WHERE state = 0;
CREATE INDEX url_state ON url (state, rule);
CREATE INDEX url_seed ON url (id) WHERE seed = 1;

CREATE TABLE pattern (                   -- how many URLs share what a counter would invent (frontier/traps.py)
  site INTEGER NOT NULL REFERENCES site,
  pattern TEXT NOT NULL,
  urls INTEGER NOT NULL,
  PRIMARY KEY (site, pattern)
) WITHOUT ROWID;

CREATE TABLE page (
  url INTEGER PRIMARY KEY REFERENCES url,
  fetched_at REAL NOT NULL,
  status INTEGER NOT NULL,
  content_type TEXT NOT NULL,
  encoding TEXT NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  size INTEGER NOT NULL,                 -- bytes of the body
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  language TEXT NOT NULL,
  content BLOB NOT NULL,                 -- headings, keywords, text, snippet_text, controls: JSON in zstd
  fingerprint BLOB NOT NULL,
  signature BLOB NOT NULL,               -- MinHash; empty: too short to have one
  duplicate_of INTEGER REFERENCES url,
  near_duplicate_of INTEGER REFERENCES url,
  refusals TEXT NOT NULL,                -- JSON [[rule, reason], …]; '[]': it is in the index
  warnings TEXT NOT NULL,
  off_site INTEGER NOT NULL,             -- links that lead elsewhere
  links INTEGER NOT NULL                 -- links it has in all
);
CREATE INDEX page_fingerprint ON page (fingerprint);
CREATE INDEX page_duplicate ON page (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX page_near_duplicate ON page (near_duplicate_of) WHERE near_duplicate_of IS NOT NULL;

CREATE TABLE body (                      -- as it came, for the cached copy and for reading it again
  url INTEGER PRIMARY KEY REFERENCES page,
  data BLOB NOT NULL                     -- zstd
);

CREATE TABLE band (                      -- locality-sensitive hashing: near duplicates share a band
  band INTEGER NOT NULL,
  url INTEGER NOT NULL,
  PRIMARY KEY (band, url)
) WITHOUT ROWID;
CREATE INDEX band_url ON band (url);

CREATE TABLE anchor (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

CREATE TABLE link (
  source INTEGER NOT NULL,
  target INTEGER NOT NULL,
  anchor INTEGER NOT NULL,
  PRIMARY KEY (source, target, anchor)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (target, anchor);

CREATE TABLE change (                    -- the feed: a page that the index has to look at again
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  url INTEGER NOT NULL UNIQUE            -- a later change takes the place of an earlier one
);

CREATE TABLE fetch (                     -- every request that was sent
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run,
  url INTEGER REFERENCES url,            -- NULL: a robots.txt
  address TEXT,                          -- of that robots.txt
  at REAL NOT NULL,
  seconds REAL NOT NULL,
  status INTEGER,                        -- NULL: no answer
  size INTEGER NOT NULL,
  rule TEXT NOT NULL                     -- how it ended
);
CREATE INDEX fetch_url ON fetch (url);

CREATE TABLE journal (                   -- everything that was refused, deferred, failed or repaired, and why
  id INTEGER PRIMARY KEY,
  run INTEGER REFERENCES run,
  at REAL NOT NULL,
  url INTEGER REFERENCES url,            -- what it is about, or the page on which it was found
  rule TEXT NOT NULL,
  reason TEXT NOT NULL,
  count INTEGER NOT NULL DEFAULT 1,
  samples TEXT NOT NULL DEFAULT '[]'     -- JSON: at most ten URLs
);
CREATE INDEX journal_url ON journal (url);
CREATE INDEX journal_rule ON journal (rule);

CREATE TABLE suppression (               -- which journal row explains a suppressed URL
  url INTEGER PRIMARY KEY REFERENCES url,
  journal INTEGER NOT NULL REFERENCES journal
);

CREATE TABLE robots (                    -- one file an origin, as it was last answered
  origin TEXT PRIMARY KEY,
  fetched_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  state TEXT NOT NULL,                   -- robots/availability.py
  status INTEGER,
  body BLOB NOT NULL,
  reason TEXT NOT NULL
);

CREATE TABLE block (
  target TEXT PRIMARY KEY,               -- a site, or a canonical URL
  kind TEXT NOT NULL CHECK (kind IN ('site', 'url')),
  reason TEXT NOT NULL,
  at REAL NOT NULL
);
