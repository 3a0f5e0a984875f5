-- What URLs promise for the topic of a crawl, what its pages had of it, and when each URL had its turn.

CREATE TABLE topic (                     -- at most one: the topic by which the queue was last put in order
  digest BLOB NOT NULL,                  -- of its terms: another one, and all is judged anew
  given TEXT NOT NULL,                   -- its words, or the file that describes it
  terms TEXT NOT NULL,                   -- JSON: [word, …]
  weights TEXT NOT NULL,                 -- JSON: [weight of each term, weight of a full match, of the description]
  weighed_after INTEGER NOT NULL         -- pages that had been looked at when the terms were weighed
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

CREATE TABLE topic_page (                -- what a page has of the topic, so that it can be weighed anew
  url INTEGER PRIMARY KEY REFERENCES url,
  folder INTEGER NOT NULL REFERENCES topic_folder,
  said BLOB NOT NULL,                    -- a byte a term (extensions/topic/priority.py)
  counts INTEGER NOT NULL,               -- 0: it was refused, and is not relevant whatever it says
  relevance REAL NOT NULL,
  relevant INTEGER NOT NULL,             -- 1: it counts, and its relevance is enough
  hands_on REAL NOT NULL                 -- to those that it links to
);
CREATE TRIGGER topic_page_counted AFTER INSERT ON topic_page BEGIN
  UPDATE topic_folder SET fetched = fetched + 1, relevant = relevant + new.relevant WHERE id = new.folder;
END;
CREATE TRIGGER topic_page_not_counted AFTER DELETE ON topic_page BEGIN
  UPDATE topic_folder SET fetched = fetched - 1, relevant = relevant - old.relevant WHERE id = old.folder;
END;
-- Whoever wants a page to be forgotten, or no longer to be kept, means its words as well.
CREATE TRIGGER topic_page_forgotten AFTER DELETE ON page BEGIN
  DELETE FROM topic_page WHERE url = old.url;
END;
CREATE TRIGGER topic_page_outdated AFTER UPDATE OF refusals ON page WHEN new.refusals != old.refusals BEGIN
  DELETE FROM topic_page WHERE url = old.url;
END;

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
  next_best REAL                         -- what the best promised that its site had waiting beside it
);
CREATE INDEX promise_folder ON promise (folder);
CREATE INDEX promise_turn ON promise (turn) WHERE turn IS NOT NULL;
