-- Which URLs are known, by a key of 32 bits each instead of an index of their whole texts (visited/lookup.py). After
-- these statements table `url` is written anew without that index, and the keys are filled in (visited/rebuilding.py).

CREATE TABLE visited (
  key INTEGER NOT NULL,                  -- visited/lookup.py: several URLs may share one, and their texts tell them apart
  url INTEGER NOT NULL REFERENCES url,
  PRIMARY KEY (key, url)
) WITHOUT ROWID;
CREATE TRIGGER url_met AFTER INSERT ON url BEGIN  -- so that no row of `url` can be without its key
  INSERT INTO visited (key, url) VALUES (url_key(new.url), new.id);  -- url_key: database.py
END;

CREATE TABLE presence (                  -- what a lossy visited set cost and lost, a row a run (visited/presence.py)
  run INTEGER PRIMARY KEY REFERENCES run,
  bits INTEGER NOT NULL,
  hashes INTEGER NOT NULL,               -- bits that a URL sets
  urls INTEGER NOT NULL,                 -- that the bits hold
  asked INTEGER NOT NULL,                -- URLs that had never been met
  lost INTEGER NOT NULL,                 -- of them, taken for known
  expected REAL NOT NULL                 -- the share of errors that the formula gives for so many URLs
);
