-- Pages that say nearly the same are one cluster, and all of them are in the index (docs/decisions).

CREATE TABLE cluster (                   -- one of each page that is long enough to be compared, or of several near copies
  id INTEGER PRIMARY KEY,
  signature BLOB NOT NULL,               -- MinHash of the page that it began with (pages/content/resemblance.py): its centre
  canonical INTEGER NOT NULL REFERENCES url,  -- the member that stands for all
  reason TEXT NOT NULL                   -- why that one (tables/clusters.py, CanonicalReason)
);
DROP TABLE band;                         -- bands are made of the signatures when they are needed (neighbours.py)
DROP INDEX page_near_duplicate;
CREATE INDEX url_moved ON url (moved_to) WHERE moved_to IS NOT NULL;  -- which URLs redirect to a page

-- What was left out as a near copy comes in; read again as a whole, it finds its cluster.
INSERT OR REPLACE INTO change (url) SELECT url FROM page WHERE refusals LIKE '[["near-duplicate"%' ORDER BY url;
UPDATE page SET refusals = '[]', etag = '', last_modified = '' WHERE refusals LIKE '[["near-duplicate"%';
UPDATE url SET rule = 'fetched' WHERE rule = 'near-duplicate';
ALTER TABLE page DROP COLUMN signature;
ALTER TABLE page DROP COLUMN near_duplicate_of;
ALTER TABLE page ADD COLUMN cluster INTEGER REFERENCES cluster;
CREATE INDEX page_cluster ON page (cluster) WHERE cluster IS NOT NULL;
