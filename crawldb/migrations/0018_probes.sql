-- What a site was asked about itself: whether it makes pages up, what it says where there is no page, what changes by itself.

CREATE TABLE asked (                     -- probes: rows of `url` that are asked for to learn about their site
  url INTEGER PRIMARY KEY REFERENCES url,
  purpose TEXT NOT NULL,                 -- tables/probes.py, Purpose
  pattern INTEGER REFERENCES pattern,    -- of a trap: whose address it is
  news INTEGER,                          -- of a trap: urls/traps/made_up.py; 0: no page; NULL: no answer
  at REAL NOT NULL DEFAULT 0             -- when it was asked for, in seconds since the epoch
);
INSERT INTO asked (url, purpose, pattern, news) SELECT url, 'trap', pattern, news FROM probe;
DROP TABLE probe;
ALTER TABLE asked RENAME TO probe;
CREATE INDEX probe_pattern ON probe (pattern);

CREATE TABLE site_question (             -- how far a site has shown its pages, and when it was asked about itself
  site INTEGER NOT NULL REFERENCES site,
  topic TEXT NOT NULL,                   -- pages/content/lies.py, AddressPlace; 'twice': what changes by itself
  pages INTEGER NOT NULL DEFAULT 0,      -- fresh ones so far
  asked_at REAL,                         -- NULL: not yet
  PRIMARY KEY (site, topic)
) WITHOUT ROWID;

CREATE TABLE lie (                       -- what a site says for a page that is not there (pages/content/lies.py)
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
  mark INTEGER NOT NULL,                 -- of the line, or of the line before it (pages/content/volatile_lines.py)
  until INTEGER NOT NULL,                -- of the line after it; 0: the line itself is known
  example TEXT NOT NULL,
  first INTEGER NOT NULL REFERENCES url, -- the page on which it was seen to change
  second INTEGER REFERENCES url,         -- another page on which it was; NULL: it may have been edited
  at REAL NOT NULL,
  PRIMARY KEY (site, mark, until)
) WITHOUT ROWID;

CREATE TABLE judge_again (               -- sites of which something was learnt: their stored pages are judged once more
  site INTEGER PRIMARY KEY REFERENCES site,
  after INTEGER NOT NULL DEFAULT 0       -- the last page that was
);
CREATE INDEX url_done ON url (site, depth, id) WHERE state = 2;
