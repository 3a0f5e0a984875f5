-- A page may name one of another part as its canonical address: whether that one stands is asked of all parts together.

CREATE TABLE foreign_canonical (
  url INTEGER PRIMARY KEY REFERENCES url,
  target TEXT NOT NULL,                  -- canonical, of a host of another part
  stands INTEGER NOT NULL DEFAULT 0      -- 1: it is in the index and names nobody else, as was last found out
);
