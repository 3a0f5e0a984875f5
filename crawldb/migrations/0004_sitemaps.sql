-- Sitemap files are URLs like any other, with what was last read in them beside them; and what pages call their address.

ALTER TABLE url ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;     -- state.py: 0 a page, 1 a sitemap
ALTER TABLE url ADD COLUMN urgency INTEGER NOT NULL DEFAULT 0;  -- 2: a sitemap, 1: changed since it was fetched
ALTER TABLE url ADD COLUMN lastmod REAL;                        -- when its sitemap says that it changed
DROP INDEX url_queue;
CREATE INDEX url_queue ON url (site, urgency DESC, depth, id) WHERE state = 0;
CREATE INDEX url_sitemap ON url (id) WHERE kind = 1;

CREATE TABLE sitemap (
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

ALTER TABLE page ADD COLUMN canonical INTEGER REFERENCES url;  -- another URL in scope that it names as its address
CREATE INDEX page_canonical ON page (canonical) WHERE canonical IS NOT NULL;
