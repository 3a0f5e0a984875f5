-- The whole schema of a crawl database, as a new one is made. One row of `url` is one discovered URL, in exactly one state.
-- All times are seconds since the epoch. `migrations/` brings a database of an earlier version here, and a test compares the two.

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
  silent INTEGER NOT NULL DEFAULT 0,     -- 1: it rests because it gave no answer; the next run asks again at once
  public INTEGER NOT NULL DEFAULT 0      -- 1: a seed whose name has led to the open internet: it leads nowhere else
) WITHOUT ROWID;

CREATE TABLE round (
  id INTEGER PRIMARY KEY,
  opened_at REAL NOT NULL,
  closed_at REAL,                        -- NULL: open, and the next run goes on with it
  continues INTEGER NOT NULL DEFAULT 0   -- 1: a round of the whole crawl that it had ended
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
CREATE INDEX url_done ON url (site, depth, id) WHERE state = 2;
CREATE INDEX url_moved ON url (moved_to) WHERE moved_to IS NOT NULL;

CREATE TABLE visited (                   -- which URLs are known: a key of 32 bits each, not an index of their texts
  key INTEGER NOT NULL,                  -- visited.py: several URLs may share one, and their texts tell them apart
  url INTEGER NOT NULL REFERENCES url,
  PRIMARY KEY (key, url)
) WITHOUT ROWID;

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
  duplicate_of INTEGER REFERENCES url,
  refusals TEXT NOT NULL,                -- JSON [[rule, reason], …]; [] where no filter rejected it: view indexed_page
  warnings TEXT NOT NULL,
  off_site INTEGER NOT NULL,             -- links that lead elsewhere
  links INTEGER NOT NULL,                -- links it has in all
  canonical INTEGER REFERENCES url,      -- another URL in scope that it names as its address
  cluster INTEGER REFERENCES cluster     -- its near copies; NULL: too short to be compared
);
CREATE INDEX page_fingerprint ON page (fingerprint);
CREATE INDEX page_duplicate ON page (duplicate_of) WHERE duplicate_of IS NOT NULL;
CREATE INDEX page_canonical ON page (canonical) WHERE canonical IS NOT NULL;
CREATE INDEX page_cluster ON page (cluster) WHERE cluster IS NOT NULL;
CREATE VIEW indexed_page AS SELECT * FROM page WHERE refusals = '[]';  -- a page that no filter rejected: each query that means the index reads this view

CREATE TABLE body (                      -- as it came, for the cached copy and for reading it again
  url INTEGER PRIMARY KEY REFERENCES page,
  data BLOB NOT NULL,                    -- zstd
  headers TEXT,                          -- JSON [[name, value], …]; NULL: an earlier Breadcrumb stored it
  leads BLOB,                            -- digest of all links and links of controls; NULL: not known
  same_as INTEGER                        -- the page whose row has these very bytes; `data` is empty then
);
CREATE INDEX body_same_as ON body (same_as) WHERE same_as IS NOT NULL;

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
  failures INTEGER NOT NULL DEFAULT 0,   -- in a row
  kept REAL NOT NULL DEFAULT 0,          -- seconds from good_at on
  meant INTEGER NOT NULL DEFAULT 0,      -- 1: misspelt lines are read as they are meant
  host TEXT NOT NULL DEFAULT ''          -- its Host line: of its mirrors, the original
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

CREATE TABLE pattern (                   -- URLs of a site that may come from one program (urls/traps.py)
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL REFERENCES site,
  pattern TEXT NOT NULL,
  kind INTEGER NOT NULL DEFAULT 0,       -- 0 numbered, 1 all that one program makes, 2 a plain folder
  urls INTEGER NOT NULL DEFAULT 0,       -- accepted so far, against PATTERN_PAGES; 0 for kinds 1 and 2
  fresh INTEGER NOT NULL DEFAULT 0,      -- pages that said something new
  wasted INTEGER NOT NULL DEFAULT 0,     -- pages that did not
  barren INTEGER NOT NULL DEFAULT 0,     -- those of them that no fresh one has made up for (urls/traps.py)
  wasted_bytes INTEGER NOT NULL DEFAULT 0,
  wasted_seconds REAL NOT NULL DEFAULT 0,
  closed TEXT,                           -- why nothing more of it is asked for; NULL: it is open
  exempt INTEGER NOT NULL DEFAULT 0,     -- 1: a person released it
  grown INTEGER NOT NULL DEFAULT 0,      -- fresh pages that the pattern itself led to
  bare INTEGER NOT NULL DEFAULT 0,       -- of them, those of a tree that only name links
  authorship INTEGER NOT NULL DEFAULT 0, -- urls/generated_urls.py: whether the site makes its pages up
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

CREATE TABLE inbox (                     -- how far each other part's outbox has been taken
  part INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL
);

CREATE TABLE foreign_source (            -- of a URL that came from another part: the page there that led to it
  url INTEGER PRIMARY KEY REFERENCES url,
  page TEXT NOT NULL,
  text TEXT NOT NULL                     -- the words of its link
);

CREATE TABLE manners (                   -- what a run told of itself, and the pace it kept: what the page /bot says
  run INTEGER PRIMARY KEY REFERENCES run,
  product TEXT NOT NULL,
  contact TEXT NOT NULL,
  bot_url TEXT NOT NULL,
  download_delay REAL NOT NULL,          -- seconds, as the other times
  max_crawl_delay REAL NOT NULL,
  max_host_rest REAL NOT NULL,
  concurrent_requests_per_domain INTEGER NOT NULL
);

CREATE TABLE rereading (                 -- one row: the run of `reparse` that is not at its end
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version TEXT NOT NULL,                 -- by which rules, and which pages: another version begins again
  began_at REAL NOT NULL,
  pages INTEGER NOT NULL,                -- to be read in all
  changed INTEGER NOT NULL DEFAULT 0     -- of those that were read
);

CREATE TABLE to_read_again (             -- the pages that are left of it, in this order
  place INTEGER PRIMARY KEY,
  url INTEGER NOT NULL
);

CREATE TABLE site_name (
  site INTEGER PRIMARY KEY REFERENCES site,
  name TEXT NOT NULL,
  shown_by INTEGER NOT NULL,             -- of `titles` different titles, the newest, when it was learnt
  titles INTEGER NOT NULL
);

CREATE TABLE template_sample (           -- the pages of a site from which its template is learnt
  site INTEGER NOT NULL REFERENCES site,
  key INTEGER NOT NULL,                  -- of the address (visited.py): those with the smallest keys are in the sample
  url INTEGER NOT NULL UNIQUE REFERENCES url,
  marks BLOB NOT NULL,                   -- 64 bits for each line
  PRIMARY KEY (site, key, url)
) WITHOUT ROWID;

CREATE TABLE site_template (
  site INTEGER PRIMARY KEY REFERENCES site,
  version INTEGER NOT NULL DEFAULT 0,    -- stands for the marks; 0: no line is a template
  marks BLOB NOT NULL DEFAULT x'',       -- of the lines that are the template
  learnt_from INTEGER NOT NULL DEFAULT 0,  -- pages of the sample
  changed INTEGER NOT NULL DEFAULT 1,    -- 1: the sample is another one since
  pending INTEGER NOT NULL DEFAULT 0     -- 1: pages may have been judged by an earlier version
);

CREATE TABLE judged_by_template (        -- by which version the lines of a page were judged; no row: 0
  url INTEGER PRIMARY KEY REFERENCES page,
  version INTEGER NOT NULL
);

CREATE TABLE trait (
  url INTEGER PRIMARY KEY REFERENCES url,
  residue INTEGER NOT NULL,              -- a key of its text without the words of its own name; 0: too short or too long
  words INTEGER NOT NULL,                -- of its text
  lead TEXT NOT NULL,                    -- the one other host to which it links; empty: none, or several
  disguise TEXT                          -- JSON (urls/signals.py, Disguise): what its markup hides; NULL: not kept
);
CREATE INDEX trait_residue ON trait (residue) WHERE residue != 0;

CREATE TABLE signal (                    -- of several pages together; a page's own are in its content
  url INTEGER NOT NULL REFERENCES url,
  name TEXT NOT NULL,                    -- urls/signals.py, SignalName
  value REAL NOT NULL,                   -- 0 to 1
  evidence TEXT NOT NULL,
  PRIMARY KEY (url, name)
) WITHOUT ROWID;

CREATE TABLE probe (                     -- probes: rows of `url` that are asked for to learn about their site
  url INTEGER PRIMARY KEY REFERENCES url,
  purpose TEXT NOT NULL,                 -- learnt.py, Purpose
  pattern INTEGER REFERENCES pattern,    -- of a trap: whose address it is
  news INTEGER,                          -- of a trap: urls/generated_urls.py; 0: no page; NULL: no answer
  at REAL NOT NULL DEFAULT 0             -- when it was asked for, in seconds since the epoch
);
CREATE INDEX probe_pattern ON probe (pattern);

CREATE TABLE site_question (             -- how far a site has shown its pages, and when it was asked about itself
  site INTEGER NOT NULL REFERENCES site,
  topic TEXT NOT NULL,                   -- pages/content/soft404.py, UrlPlace; 'twice': what changes by itself
  pages INTEGER NOT NULL DEFAULT 0,      -- fresh ones so far
  asked_at REAL,                         -- NULL: not yet
  PRIMARY KEY (site, topic)
) WITHOUT ROWID;

CREATE TABLE lie (                       -- what a site says for a page that is not there (pages/content/soft404.py)
  probe INTEGER PRIMARY KEY REFERENCES url,
  site INTEGER NOT NULL REFERENCES site,
  at REAL NOT NULL,
  own TEXT NOT NULL,                     -- JSON {mark: characters}: lines that no other page has
  template TEXT NOT NULL,                -- JSON [mark, …]: lines that others have as well
  length INTEGER NOT NULL,               -- characters of its text
  shows INTEGER REFERENCES url,          -- a page of the site that it shows in place of an apology, such as the home page
  target TEXT NOT NULL DEFAULT ''        -- where it redirects to; '': it is a page itself
);
CREATE INDEX lie_site ON lie (site);
CREATE INDEX lie_target ON lie (target) WHERE target != '';

CREATE TABLE volatile_line (             -- parts of a site's pages that two fetches have shown to change by themselves
  site INTEGER NOT NULL REFERENCES site,
  mark INTEGER NOT NULL,                 -- of the line, or of the line before it (pages/content/volatile.py)
  until INTEGER NOT NULL,                -- of the line after it; 0: the line itself is known
  example TEXT NOT NULL,
  first INTEGER NOT NULL REFERENCES url, -- the page on which it was seen to change
  second INTEGER REFERENCES url,         -- another page on which it was; NULL: it may have been edited
  at REAL NOT NULL,
  PRIMARY KEY (site, mark, until)
) WITHOUT ROWID;

CREATE TABLE judge_again (               -- sites of which something was learnt: their stored pages are judged once more
  site INTEGER PRIMARY KEY REFERENCES site,
  after INTEGER NOT NULL DEFAULT 0,      -- the last page that was
  whole INTEGER NOT NULL DEFAULT 1       -- 0: only its pages with a stylesheet that has come since
);

CREATE TABLE cluster (                   -- one of each page that is long enough to be compared, or of several near copies
  id INTEGER PRIMARY KEY,
  signature BLOB NOT NULL,               -- MinHash of the page that it began with (pages/content/similarity.py): its centre
  canonical INTEGER NOT NULL REFERENCES url,  -- the member that stands for all
  reason TEXT NOT NULL,                  -- why that one (pages/clusters.py, CanonicalReason)
  joined INTEGER                         -- the number that all of them share, above 0; NULL: no other part has any
);
CREATE INDEX cluster_joined ON cluster (joined) WHERE joined IS NOT NULL;

CREATE TABLE link_change (               -- one row
  one INTEGER PRIMARY KEY CHECK (one = 1),
  links INTEGER NOT NULL                 -- that came or went, ever
);
INSERT INTO link_change VALUES (1, 0);

CREATE TABLE block_proposal (
  target TEXT PRIMARY KEY,               -- a site or a canonical URL
  kind TEXT NOT NULL CHECK (kind IN ('site', 'url')),
  reason TEXT NOT NULL,                  -- in the words of whoever asked last; the journal has all
  contact TEXT NOT NULL,                 -- how to answer them, as they gave it: nobody has checked it
  at REAL NOT NULL,                      -- when it was asked for last
  times INTEGER NOT NULL DEFAULT 1,      -- how often it was asked for
  declined_at REAL                       -- when a person decided against it; another request opens it again
);

CREATE TABLE topic (                     -- at most one: the topic by which the queue was last put in order
  digest BLOB NOT NULL,                  -- of its terms: with another one, all pages are judged again
  given TEXT NOT NULL,                   -- its words, or the file that describes it
  terms TEXT NOT NULL,                   -- JSON: [word, …]
  weights TEXT NOT NULL,                 -- JSON: [weight of each term, weight of a full match, of the description]
  weighed_after INTEGER NOT NULL,        -- pages that had been looked at when the terms were weighed
  in_force INTEGER NOT NULL DEFAULT 1,   -- 0: the latest run used another order
  turn_topic INTEGER REFERENCES turn_topic  -- this topic among all that the folder has had
);

CREATE TABLE topic_folder (              -- the folder of a URL on its site, and what it has brought
  id INTEGER PRIMARY KEY,
  site INTEGER NOT NULL REFERENCES site,
  path TEXT NOT NULL,                    -- up to its last /
  fetched INTEGER NOT NULL DEFAULT 0,    -- pages
  relevant INTEGER NOT NULL DEFAULT 0,   -- of them
  judged REAL NOT NULL DEFAULT -1,       -- the yield by which its queued URLs were judged
  UNIQUE (site, path)
);

CREATE TABLE topic_page (                -- what a page has of the topic, to weigh it again
  url INTEGER PRIMARY KEY REFERENCES url,
  folder INTEGER NOT NULL REFERENCES topic_folder,
  said BLOB NOT NULL,                    -- a byte a term (extensions/topic/priority.py)
  counts INTEGER NOT NULL,               -- 0: it was refused, and is not relevant whatever it says
  relevance REAL NOT NULL,
  relevant INTEGER NOT NULL,             -- 1: it counts, and its relevance is enough
  hands_on REAL NOT NULL                 -- to those that it links to
);

CREATE TABLE promise (                   -- why a URL stands where it stands in the queue, or had its turn when it had it
  url INTEGER PRIMARY KEY REFERENCES url,
  via INTEGER REFERENCES url,            -- the page whose link to it promises most
  anchor INTEGER NOT NULL DEFAULT 0,     -- terms in the words of that link, as bits
  around INTEGER NOT NULL DEFAULT 0,     -- and around it
  name INTEGER NOT NULL DEFAULT 0,       -- and in the URL itself
  folder INTEGER REFERENCES topic_folder,
  parts TEXT NOT NULL DEFAULT '[]',      -- JSON: [part, …] of the promise, in the order of PriorityParts
  inlinks INTEGER,                       -- pages that linked to it when it had its turn, with PRIORITY=rare
  turn INTEGER,                          -- which it was of all turns; NULL: it waits
  promised REAL,                         -- what it promised then
  next_best REAL,                        -- what the best promised that its site had waiting beside it
  turn_topic INTEGER REFERENCES turn_topic  -- NULL: not fetched yet, or fetched with PRIORITY=rare
);
CREATE INDEX promise_folder ON promise (folder);
CREATE INDEX promise_turn ON promise (turn) WHERE turn IS NOT NULL;

CREATE TABLE robots_body (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  data BLOB NOT NULL                     -- zstd: UTF-8, as the parser reads it
);

CREATE TABLE robots_version (            -- one row each time that an origin's file was another one than before
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: whoever follows this table can tell what is new
  origin TEXT NOT NULL,                  -- empty: not known, of an imported file
  name TEXT NOT NULL DEFAULT '',         -- of an imported file in its collection
  collection TEXT NOT NULL DEFAULT '',   -- from which it was imported; empty: this crawl fetched it
  body INTEGER NOT NULL REFERENCES robots_body,
  first_seen REAL NOT NULL,
  last_seen REAL NOT NULL,
  status INTEGER                         -- of the latest answer while this was the latest file; NULL: none, or imported
);
CREATE INDEX robots_version_origin ON robots_version (origin, name, id);
CREATE INDEX robots_version_body ON robots_version (body);

CREATE TABLE archive_file (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE              -- in the folder `archive`; while it is written, the file's own name ends in .open
);

CREATE TABLE archived (
  file INTEGER NOT NULL REFERENCES archive_file(id),
  start INTEGER NOT NULL,                -- in bytes: from here to `stop` stand all records of the exchange
  stop INTEGER NOT NULL,
  offset INTEGER NOT NULL,               -- in bytes: the answer's record, of `length`; 0 and 0: no answer came
  length INTEGER NOT NULL,
  address TEXT NOT NULL,                 -- WARC-Target-URI
  at REAL NOT NULL,                      -- WARC-Date, seconds since the epoch: when the request left
  kind TEXT NOT NULL,                    -- of the answer's record: response, revisit, or nothing
  status INTEGER,
  payload BLOB,                          -- SHA-1 of the payload; NULL: there is none, or it is not kept
  record BLOB NOT NULL,                  -- the UUID of the answer's record
  forgotten INTEGER NOT NULL DEFAULT 0,  -- a person took it out: the bytes are overwritten, and then the row goes
  PRIMARY KEY (file, start)
) WITHOUT ROWID;
CREATE INDEX archived_address ON archived (address, at);
CREATE INDEX archived_payload ON archived (payload) WHERE kind = 'response' AND payload IS NOT NULL;
CREATE INDEX archived_forgotten ON archived (file) WHERE forgotten;

CREATE TABLE imported_archive (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,           -- of its bytes: a file is known again by them, whatever its name is
  name TEXT NOT NULL,                    -- of the file, without its folder
  size INTEGER NOT NULL,                 -- bytes
  software TEXT NOT NULL DEFAULT '',     -- that wrote it, by its warcinfo record; '': it does not say
  began_at REAL NOT NULL,
  ended_at REAL,                         -- NULL: it has not been read to its end
  surveyed INTEGER NOT NULL DEFAULT 0,   -- 1: its robots.txt files, its sites and its methods are known
  member INTEGER NOT NULL DEFAULT 0,     -- where the next record begins: the offset in the file of its member …
  inside INTEGER NOT NULL DEFAULT 0,     -- … and how many bytes into what that unpacks to
  account TEXT NOT NULL DEFAULT '{}',    -- JSON: how many records came to which end
  without_robots INTEGER NOT NULL DEFAULT 0  -- pages that were read though no robots.txt of their origin is known
);

CREATE TABLE imported_site (             -- the sites of its captures are sites of this crawl, like those of the seeds
  name TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE other_method (              -- records that are no pages: answers to POST, HEAD and others, and to made-up addresses
  archive INTEGER NOT NULL REFERENCES imported_archive,
  record INTEGER NOT NULL,               -- 64 bits of a hash of its WARC-Record-ID
  PRIMARY KEY (archive, record)
) WITHOUT ROWID;

CREATE TABLE capture (                   -- what `fetch` is for requests of our own: a row an answer in an archive
  archive INTEGER NOT NULL REFERENCES imported_archive,
  member INTEGER NOT NULL,
  inside INTEGER NOT NULL,
  url INTEGER NOT NULL REFERENCES url,
  at REAL NOT NULL,                      -- its WARC-Date
  status INTEGER,
  size INTEGER NOT NULL,                 -- bytes of the body
  rule TEXT NOT NULL,                    -- how it ended
  payload TEXT NOT NULL,                 -- its WARC-Payload-Digest; '': it has none
  PRIMARY KEY (archive, member, inside)
) WITHOUT ROWID;
CREATE INDEX capture_url ON capture (url, at);
CREATE INDEX capture_payload ON capture (payload) WHERE payload != '';

CREATE TABLE robots_history (
  mark BLOB NOT NULL                     -- another one after each change; by chance, so that a backup has none of later
);
INSERT INTO robots_history VALUES (randomblob(16));

CREATE TABLE turn_topic (                -- each topic that the folder has had
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,           -- of its terms
  given TEXT NOT NULL                    -- its words, or the file that describes it
);

CREATE TABLE foreign_page (              -- a page of another part that links to pages here; its links have -id as source
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,              -- canonical
  site TEXT NOT NULL                     -- its host, with a port that is not the usual one
);

CREATE TABLE outbox (                    -- for another part, in the order in which they were written
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,                     -- canonical: one of a host of that part; or with `links` the page they stand on
  part INTEGER NOT NULL,                 -- whose letter it is
  depth INTEGER NOT NULL,
  found_by TEXT NOT NULL,
  found_on TEXT NOT NULL,                -- the page that led to it, or ''
  text TEXT NOT NULL DEFAULT '',         -- the words of the link
  links TEXT,                            -- JSON: all links of the page to that part, [[url, words], …]; NULL: a URL
  UNIQUE (url, part)                     -- a later list of links takes the place of an earlier one, under a new seq
);
CREATE INDEX outbox_part ON outbox (part, seq);

CREATE TABLE earlier_division (          -- of a crawl that was never split it is empty
  number INTEGER PRIMARY KEY,            -- 1: as it began
  parts INTEGER NOT NULL
);

CREATE TABLE foreign_canonical (
  url INTEGER PRIMARY KEY REFERENCES url,
  target TEXT NOT NULL,                  -- canonical, of a host of another part
  stands INTEGER NOT NULL DEFAULT 0      -- 1: it is in the index and names nobody else, as was last found out
);

CREATE TABLE identity (
  id TEXT NOT NULL                       -- 32 hexadecimal digits, drawn once
);
INSERT INTO identity VALUES (lower(hex(randomblob(16))));

CREATE TABLE open_work (
  id INTEGER PRIMARY KEY,
  command TEXT NOT NULL,                 -- import, reparse, forget, block or rebuild
  words TEXT NOT NULL,                   -- JSON: what it was given, such as ["http://bakery.example/"]
  reason TEXT NOT NULL,                  -- of a block
  began_at REAL NOT NULL,
  pid INTEGER NOT NULL,                  -- of the process that works on it, or did
  UNIQUE (command, words)
);

CREATE TABLE stylesheet (
  url INTEGER PRIMARY KEY REFERENCES url,
  site INTEGER NOT NULL REFERENCES site,
  at REAL NOT NULL,                      -- when it was last asked for, in seconds since the epoch
  css TEXT,                              -- the rules that say how text shows; NULL: it can't be had, or is none
  imports TEXT NOT NULL DEFAULT '[]',    -- JSON [URL, …]: the sheets that it imports
  etag TEXT NOT NULL DEFAULT '',
  last_modified TEXT NOT NULL DEFAULT ''
);
CREATE INDEX stylesheet_site ON stylesheet (site);

CREATE TABLE census (
  url INTEGER PRIMARY KEY REFERENCES url,
  round INTEGER NOT NULL REFERENCES round,  -- in which the answer came
  status INTEGER NOT NULL,
  server TEXT NOT NULL,                     -- its Server line; empty: it has none
  protocol TEXT NOT NULL,                   -- such as HTTP/1.1
  media_type TEXT NOT NULL,                 -- declared, without parameters; empty: none is
  size INTEGER NOT NULL                     -- bytes of the body; of one that was not read, what Content-Length says
);

CREATE TRIGGER url_met AFTER INSERT ON url BEGIN  -- so that no row of `url` can be without its key
  INSERT INTO visited (key, url) VALUES (url_key(new.url), new.id);  -- url_key: database.py
END;
CREATE TRIGGER topic_page_counted AFTER INSERT ON topic_page BEGIN
  UPDATE topic_folder SET fetched = fetched + 1, relevant = relevant + new.relevant WHERE id = new.folder;
END;
CREATE TRIGGER topic_page_not_counted AFTER DELETE ON topic_page BEGIN
  UPDATE topic_folder SET fetched = fetched - 1, relevant = relevant - old.relevant WHERE id = old.folder;
END;
CREATE TRIGGER topic_page_forgotten AFTER DELETE ON page BEGIN
  DELETE FROM topic_page WHERE url = old.url;
END;
CREATE TRIGGER topic_page_outdated AFTER UPDATE OF refusals ON page WHEN new.refusals != old.refusals BEGIN
  DELETE FROM topic_page WHERE url = old.url;
END;
CREATE TRIGGER robots_version_gone AFTER DELETE ON robots_version BEGIN
  DELETE FROM robots_body WHERE id = OLD.body AND NOT EXISTS (SELECT 1 FROM robots_version WHERE body = OLD.body);
END;
CREATE TRIGGER robots_history_put AFTER INSERT ON robots_version BEGIN UPDATE robots_history SET mark = randomblob(16); END;
CREATE TRIGGER robots_history_set AFTER UPDATE ON robots_version BEGIN UPDATE robots_history SET mark = randomblob(16); END;
CREATE TRIGGER robots_history_gone AFTER DELETE ON robots_version BEGIN UPDATE robots_history SET mark = randomblob(16); END;

PRAGMA user_version = 40;
