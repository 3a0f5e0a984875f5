-- Which command of several commits has not come to its last one (crawldb/tables/open_work.py)?

CREATE TABLE open_work (
  id INTEGER PRIMARY KEY,
  command TEXT NOT NULL,                 -- import, reparse, forget, block or rebuild
  words TEXT NOT NULL,                   -- JSON: what it was given, such as ["http://bakery.example/"]
  reason TEXT NOT NULL,                  -- of a block
  began_at REAL NOT NULL,
  pid INTEGER NOT NULL,                  -- of the process that works on it, or did
  UNIQUE (command, words)
);
