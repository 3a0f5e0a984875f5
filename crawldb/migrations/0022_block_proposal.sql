-- What the owners of sites ask to be blocked, by the form of the policy page. It blocks nothing: a person decides.

CREATE TABLE block_proposal (
  target TEXT PRIMARY KEY,               -- a site or a canonical URL
  kind TEXT NOT NULL CHECK (kind IN ('site', 'url')),
  reason TEXT NOT NULL,                  -- in the words of whoever asked last; the journal has all
  contact TEXT NOT NULL,                 -- how to answer them, as they gave it: nobody has checked it
  at REAL NOT NULL,                      -- when it was asked for last
  times INTEGER NOT NULL DEFAULT 1,      -- how often it was asked for
  declined_at REAL                       -- when a person decided against it; who asks again opens it anew
);
