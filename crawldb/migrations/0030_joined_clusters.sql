-- Near copies in different parts of a divided crawl: a cluster may be one with clusters of other parts.

ALTER TABLE cluster ADD COLUMN joined INTEGER;  -- the number that all of them share, above 0; NULL: no other part has any
CREATE INDEX cluster_joined ON cluster (joined) WHERE joined IS NOT NULL;
