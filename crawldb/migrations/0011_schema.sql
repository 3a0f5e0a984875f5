-- What a crawl knows. One row of `url` a discovered URL, in exactly one state: that is how the accounting adds up.
-- All times are seconds since the epoch.

CREATE TABLE site (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,             -- host, or host:port (urls/canonical.py)
  urls INTEGER NOT NULL DEFAULT 0,       -- URLs accepted so far, against SITE_PAGES
  rests_until REAL NOT NULL DEFAULT 0,   -- as its host; what the frontier asks
  domain TEXT                            -- its registered domain, where SCOPE is domain: budgets are for the whole of it
);
CREATE INDEX site_domain ON site (domain) WHERE domain IS NOT NULL;

CREATE TABLE host (                      -- how fast it may be asked: a machine's name, whatever the port
  name TEXT PRIMARY KEY,                 -- as in a URL: an IPv6 address stands in brackets
  last_request_at REAL NOT NULL DEFAULT 0,  -- robots.txt and sitemaps included
  delay REAL NOT NULL DEFAULT 0,         -- seconds that lie between two requests, as it was last known
  delay_reason TEXT NOT NULL DEFAULT '', -- who asks for that: our settings, its robots.txt, its slowness
  latency REAL NOT NULL DEFAULT 0,       -- seconds: how long it takes to answer, smoothed
  failures INTEGER NOT NULL DEFAULT 0,   -- 429, 503 and silence in a row: each rest is longer than the one before
  rests_until REAL NOT NULL DEFAULT 0,   -- nothing is asked of it before
  rest_reason TEXT NOT NULL DEFAULT '',
  silent INTEGER NOT NULL DEFAULT 0      -- 1: it rests because it gave no answer; the next run asks again at once
) WITHOUT ROWID;

CREATE TABLE round (
  id INTEGER PRIMARY KEY,
  opened_at REAL NOT NULL,
  closed_at REAL                         -- NULL: open, and the next run goes on with it
);

CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  round INTEGER NOT NULL REFERENCES round,
  pid INTEGER NOT NULL,
  policy TEXT NOT NULL,                  -- a digest of scope, ports and limits (frontier/policy_in_force.py)
  started_at REAL NOT NULL,
  ended_at REAL,                         -- NULL with no such process: it was killed
  ending TEXT,
  waiting INTEGER NOT NULL DEFAULT 0,    -- URLs that had to wait when it ended
  peak_memory INTEGER NOT NULL DEFAULT 0,   -- bytes, of the process that fetches; 0: it was killed before it could say
  index_memory INTEGER NOT NULL DEFAULT 0,  -- bytes, of the index writer beside it
  received INTEGER NOT NULL DEFAULT 0       -- bytes from the network, headers included
);

CREATE TABLE url (                       -- tables/urls.py alone writes it, and has the diagram of the states
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL,                     -- canonical (urls/canonical.py)
  site INTEGER NOT NULL REFERENCES site,
  state INTEGER NOT NULL,                -- 0 queued, 1 leased, 2 done, 3 failed, 4 suppressed
  seed INTEGER NOT NULL DEFAULT 0,       -- 1: in the root set
  depth INTEGER NOT NULL,                -- links from a seed
  hops INTEGER NOT NULL DEFAULT 0,       -- redirects in a row that led here
  found_on INTEGER REFERENCES url,
  found_by TEXT NOT NULL,                -- urls/records.py, FoundBy
  found_at REAL NOT NULL,
  due_at REAL NOT NULL DEFAULT 0,        -- not to be fetched before
  attempts INTEGER NOT NULL DEFAULT 0,   -- in this round
  misses INTEGER NOT NULL DEFAULT 0,     -- 404 or 410 in a row
  ended_in INTEGER,                      -- the round in which its turn last ended; NULL: it never had one
  rule TEXT,                             -- urls/rules.py, Rule: how it last ended, or what holds it back
  moved_to INTEGER REFERENCES url,
  kind INTEGER NOT NULL DEFAULT 0,       -- 0 a page, 1 a sitemap
  urgency INTEGER NOT NULL DEFAULT 0,    -- 2: a sitemap, 1: changed since it was fetched
  lastmod REAL,                          -- when its sitemap says that it changed
  next_at REAL NOT NULL DEFAULT 0,       -- when a revisit is due (urls/schedule.py); 0: at once
  worth REAL NOT NULL DEFAULT 1          -- tables/priorities.py: the more the sooner; 1: none yet
);
CREATE INDEX url_queue ON url (site, urgency DESC, depth, id) WHERE state = 0;
CREATE INDEX url_due ON url (site, due_at) WHERE state = 0;
CREATE INDEX url_state ON url (state, rule);
CREATE INDEX url_seed ON url (id) WHERE seed = 1;
CREATE INDEX url_sitemap ON url (id) WHERE kind = 1;

CREATE TABLE visited (                   -- which URLs are known: a key of 32 bits each, not an index of their texts
  key INTEGER NOT NULL,                  -- visited.py: several URLs may share one, and their texts tell them apart
  url INTEGER NOT NULL REFERENCES url,
  PRIMARY KEY (key, url)
) WITHOUT ROWID;
CREATE TRIGGER url_met AFTER INSERT ON url BEGIN  -- so that no row of `url` can be without its key
  INSERT INTO visited (key, url) VALUES (url_key(new.url), new.id);  -- url_key: database.py
END;

CREATE TABLE explanation (               -- which row of the journal says why a URL stands as it does
  url INTEGER PRIMARY KEY REFERENCES url,
  journal INTEGER NOT NULL REFERENCES journal
);

CREATE TABLE visit (                     -- what the visits to a page have told, from which its next one follows
  url INTEGER PRIMARY KEY REFERENCES url,
  visits INTEGER NOT NULL,               -- that found the page again, and could be compared with the one before
  unchanged INTEGER NOT NULL,            -- of those
  seconds REAL NOT NULL,                 -- between these visits, all together
  seen_at REAL NOT NULL,                 -- when it was last looked at
  still_since REAL NOT NULL              -- when it was last found to have changed, or first fetched
);

CREATE TABLE seed_mark (                 -- what kind of page a seeds file calls a seed
  url INTEGER PRIMARY KEY REFERENCES url,
  kind TEXT NOT NULL CHECK (kind IN ('popular', 'new', 'rare'))
);

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
  refusals TEXT NOT NULL,                -- JSON [[rule, reason], …]; [] where no filter rejected it: view indexed_page
  warnings TEXT NOT NULL,
  off_site INTEGER NOT NULL,             -- links that lead elsewhere
  links INTEGER NOT NULL,                -- links it has in all
  canonical INTEGER REFERENCES url       -- another URL in scope that it names as its address
);
CREATE INDEX page_fingerprint ON page (fingerprint);
CREATE INDEX page_duplicate ON page (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX page_near_duplicate ON page (near_duplicate_of) WHERE near_duplicate_of IS NOT NULL;
CREATE INDEX page_canonical ON page (canonical) WHERE canonical IS NOT NULL;

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
  rule TEXT NOT NULL,                    -- how it ended
  origin TEXT                            -- whose robots.txt was asked for, a row a redirect; NULL: something else
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

CREATE TABLE alarm (                     -- a site that mostly fails, one row a site and round
  site INTEGER NOT NULL REFERENCES site,
  round INTEGER NOT NULL REFERENCES round,
  at REAL NOT NULL,
  failed INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (site, round)
) WITHOUT ROWID;

CREATE TABLE robots (                    -- one file an origin: what holds, and the latest file that came whole
  origin TEXT PRIMARY KEY,
  fetched_at REAL NOT NULL,
  expires_at REAL NOT NULL,
  state TEXT NOT NULL,                   -- robots/availability.py, Access: what holds
  status INTEGER,
  body BLOB NOT NULL,                    -- zstd: the latest file that came whole, whether it holds or not
  reason TEXT NOT NULL,
  address TEXT NOT NULL DEFAULT '',      -- the URL that gave `body`
  etag TEXT NOT NULL DEFAULT '',
  last_modified TEXT NOT NULL DEFAULT '',
  good_at REAL,                          -- when `body` was last known to be the file; NULL: no file is kept
  failing_since REAL,                    -- the first of the failures in a row; NULL: it answers
  failures INTEGER NOT NULL DEFAULT 0    -- in a row
);

CREATE TABLE robots_change (             -- one row each time that something else holds for an origin than before
  id INTEGER PRIMARY KEY,
  origin TEXT NOT NULL,
  at REAL NOT NULL,
  state TEXT NOT NULL,                   -- robots/availability.py, Access
  status INTEGER,                        -- NULL: no answer
  digest BLOB NOT NULL,                  -- of the file that decides; empty: none does
  reason TEXT NOT NULL
);
CREATE INDEX robots_change_origin ON robots_change (origin);

CREATE TABLE sitemap (                   -- a file is a row of `url` like any page; here is what was last read in it
  url INTEGER PRIMARY KEY REFERENCES url,
  read_at REAL NOT NULL,
  form TEXT NOT NULL,                    -- urlset, index, text, rss, atom; empty: it is no sitemap
  entries INTEGER NOT NULL,              -- that it has
  accepted INTEGER NOT NULL,             -- that are in scope
  new INTEGER NOT NULL,                  -- that nothing had led to before
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL
);
CREATE TABLE sitemap_naming (            -- the Sitemap lines: only the pages of those who name a file may stand in it
  sitemap INTEGER NOT NULL REFERENCES url,
  origin TEXT NOT NULL,                  -- whose robots.txt has the line
  PRIMARY KEY (sitemap, origin)
) WITHOUT ROWID;
CREATE INDEX sitemap_naming_origin ON sitemap_naming (origin);
CREATE TABLE sitemap_child (             -- a sitemap that another one leads to, and that speaks for the same sites
  parent INTEGER NOT NULL REFERENCES url,
  child INTEGER NOT NULL REFERENCES url,
  by_index INTEGER NOT NULL,             -- 1: the parent is an index that lists it, 0: the parent redirects to it
  PRIMARY KEY (parent, child)
) WITHOUT ROWID;
CREATE INDEX sitemap_child_child ON sitemap_child (child);

CREATE TABLE block (                     -- the blacklist
  target TEXT PRIMARY KEY,               -- a site, a canonical URL, or a pattern of either with *
  kind TEXT NOT NULL CHECK (kind IN ('site', 'url', 'pattern')),
  reason TEXT NOT NULL,
  at REAL NOT NULL,
  origin TEXT NOT NULL DEFAULT 'person'  -- 'file': BLACKLIST_FILE says so, and leaving it there lifts it
);

CREATE TABLE site_option (               -- what is switched on for a site (urls/site_options.py)
  site TEXT NOT NULL,                    -- by name: it may be said before the site is known
  option TEXT NOT NULL,
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

CREATE TABLE pattern (                   -- URLs of a site that may come from one program (urls/traps/pattern.py)
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL REFERENCES site,
  pattern TEXT NOT NULL,
  kind INTEGER NOT NULL DEFAULT 0,       -- 0 numbered, 1 all that one program makes, 2 a plain folder
  urls INTEGER NOT NULL DEFAULT 0,       -- accepted so far, against PATTERN_PAGES; 0 for kinds 1 and 2
  fresh INTEGER NOT NULL DEFAULT 0,      -- pages that said something new
  wasted INTEGER NOT NULL DEFAULT 0,     -- pages that did not
  barren INTEGER NOT NULL DEFAULT 0,     -- those of them that no fresh one has made up for (urls/traps/novelty.py)
  wasted_bytes INTEGER NOT NULL DEFAULT 0,
  wasted_seconds REAL NOT NULL DEFAULT 0,
  closed TEXT,                           -- why nothing more of it is asked for; NULL: it is open
  exempt INTEGER NOT NULL DEFAULT 0,     -- 1: a person released it
  grown INTEGER NOT NULL DEFAULT 0,      -- fresh pages that the pattern itself led to
  bare INTEGER NOT NULL DEFAULT 0,       -- of them, those of a tree that only name links
  authorship INTEGER NOT NULL DEFAULT 0, -- urls/traps/made_up.py: whether the site makes its pages up
  UNIQUE (site, pattern)
);
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
CREATE TABLE probe (                     -- a made-up address; it is in `url` too, suppressed once it is answered
  url INTEGER PRIMARY KEY REFERENCES url,
  pattern INTEGER NOT NULL REFERENCES pattern,
  news INTEGER                           -- urls/traps/made_up.py; 0: no page; NULL: no answer
);
CREATE INDEX probe_pattern ON probe (pattern);

CREATE TABLE plan (                      -- what a person was told before a big run, to stand beside what it took
  id INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  run INTEGER REFERENCES run,            -- the trial that it was measured on
  estimate TEXT NOT NULL                 -- JSON: pages, requests, bytes, disk, memory, seconds, a site each
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
