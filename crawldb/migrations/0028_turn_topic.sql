-- For which topic did a URL have its turn? Another topic may have come since, or a crawl without one.

CREATE TABLE turn_topic (                -- each topic that the folder has had
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,           -- of its terms
  given TEXT NOT NULL                    -- its words, or the file that describes it
);
ALTER TABLE topic ADD COLUMN in_force INTEGER NOT NULL DEFAULT 1;  -- 0: the latest run went by another order
ALTER TABLE topic ADD COLUMN turn_topic INTEGER REFERENCES turn_topic;
ALTER TABLE promise ADD COLUMN turn_topic INTEGER REFERENCES turn_topic;  -- NULL: no turn, or one with PRIORITY=rare

-- Of the turns so far only the latest topic is known.
INSERT INTO turn_topic (digest, given) SELECT digest, given FROM topic;
UPDATE topic SET turn_topic = (SELECT id FROM turn_topic);
UPDATE promise SET turn_topic = (SELECT id FROM turn_topic) WHERE turn IS NOT NULL AND inlinks IS NULL;
