-- The figures of a census. It counts the answers of sites, and keeps no word of their pages.

CREATE TABLE census (
  url INTEGER PRIMARY KEY REFERENCES url,
  round INTEGER NOT NULL REFERENCES round,  -- in which the answer came
  status INTEGER NOT NULL,
  server TEXT NOT NULL,                     -- its Server line; empty: it has none
  protocol TEXT NOT NULL,                   -- such as HTTP/1.1
  media_type TEXT NOT NULL,                 -- declared, without parameters; empty: none is
  size INTEGER NOT NULL                     -- bytes of the body; of one that was not read, what Content-Length says
);
