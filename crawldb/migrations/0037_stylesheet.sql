-- What the stylesheets of a site say of how its text shows (crawldb/learnt/stylesheets.py).

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

-- 0: only pages whose body has to be read for that, such as those for which a stylesheet has come
ALTER TABLE judge_again ADD COLUMN whole INTEGER NOT NULL DEFAULT 1;
