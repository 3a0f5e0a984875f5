-- Where a URL was found that another part of a divided crawl handed over, and what each run told the servers it asked.

ALTER TABLE outbox ADD COLUMN text TEXT NOT NULL DEFAULT '';  -- the words of the link

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
