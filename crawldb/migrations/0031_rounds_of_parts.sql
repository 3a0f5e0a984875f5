-- A round of a divided crawl is one round, however often a part comes back within it for what others have led to.

ALTER TABLE round ADD COLUMN continues INTEGER NOT NULL DEFAULT 0;  -- 1: a round of the whole crawl that it had ended
