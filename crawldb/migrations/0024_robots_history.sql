-- Every robots.txt that came whole, and those that were imported. No rule of a crawl is read from here: table robots has those.

CREATE TABLE robots_body (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  data BLOB NOT NULL                     -- zstd: UTF-8, as the parser reads it
);

CREATE TABLE robots_version (            -- one row each time that an origin's file was another one than before
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: whoever follows this table can tell what is new
  origin TEXT NOT NULL,                  -- empty: not known, of an imported file
  name TEXT NOT NULL DEFAULT '',         -- of an imported file in its collection
  collection TEXT NOT NULL DEFAULT '',   -- from which it was imported; empty: this crawl fetched it
  body INTEGER NOT NULL REFERENCES robots_body,
  first_seen REAL NOT NULL,
  last_seen REAL NOT NULL,
  status INTEGER                         -- of the latest answer while this was the latest file; NULL: none, or imported
);
CREATE INDEX robots_version_origin ON robots_version (origin, name, id);
CREATE INDEX robots_version_body ON robots_version (body);

CREATE TRIGGER robots_version_gone AFTER DELETE ON robots_version BEGIN
  DELETE FROM robots_body WHERE id = OLD.body AND NOT EXISTS (SELECT 1 FROM robots_version WHERE body = OLD.body);
END;

-- What is known of the time before: the latest file of each origin, under the digest that its latest change has.
INSERT OR IGNORE INTO robots_body (digest, data)
  SELECT (SELECT digest FROM robots_change WHERE origin = robots.origin AND digest != x'' ORDER BY id DESC LIMIT 1) AS known, body
  FROM robots WHERE known IS NOT NULL AND good_at IS NOT NULL;
INSERT INTO robots_version (origin, body, first_seen, last_seen, status)
  SELECT origin, robots_body.id, good_at, good_at, status FROM robots JOIN robots_body ON digest =
    (SELECT digest FROM robots_change WHERE origin = robots.origin AND digest != x'' ORDER BY id DESC LIMIT 1)
  WHERE good_at IS NOT NULL;
