-- How fast each host may be asked, and until when it is left alone. A host is a machine's name, whatever the port.

CREATE TABLE host (
  name TEXT PRIMARY KEY,                    -- as in a URL: an IPv6 address stands in brackets
  last_request_at REAL NOT NULL DEFAULT 0,  -- seconds since the epoch, robots.txt and sitemaps included
  delay REAL NOT NULL DEFAULT 0,            -- seconds that lie between two requests, as it was last known
  delay_reason TEXT NOT NULL DEFAULT '',    -- who asks for that: our settings, its robots.txt, its slowness
  latency REAL NOT NULL DEFAULT 0,          -- seconds: how long it takes to answer, smoothed
  failures INTEGER NOT NULL DEFAULT 0,      -- 429, 503 and silence in a row: each rest is longer than the one before
  rests_until REAL NOT NULL DEFAULT 0,      -- nothing is asked of it before
  rest_reason TEXT NOT NULL DEFAULT '',
  silent INTEGER NOT NULL DEFAULT 0         -- 1: it rests because it gave no answer; the next run asks again at once
) WITHOUT ROWID;
ALTER TABLE site ADD COLUMN rests_until REAL NOT NULL DEFAULT 0;  -- as its host; what the frontier asks
