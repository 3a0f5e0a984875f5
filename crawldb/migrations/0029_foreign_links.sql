-- Words of links from pages of other parts reach a page: each part tells the others which links of its pages lead to them.

CREATE TABLE foreign_page (              -- a page of another part that links to pages here; its links have -id as source
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,              -- canonical
  site TEXT NOT NULL                     -- its host, with a port that is not the usual one
);
INSERT INTO foreign_page (url, site)
  SELECT page, substr(rest, 1, instr(rest, '/') - 1) FROM
  (SELECT DISTINCT page, substr(page, instr(page, '//') + 2) AS rest FROM foreign_source WHERE text != '');
INSERT OR IGNORE INTO anchor (text) SELECT text FROM foreign_source WHERE text != '';
INSERT INTO link SELECT -foreign_page.id, foreign_source.url, anchor.id FROM foreign_source
  JOIN foreign_page ON foreign_page.url = foreign_source.page JOIN anchor ON anchor.text = foreign_source.text;

CREATE TABLE letter (                    -- for another part, in the order in which they were written; takes outbox's place
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL,                     -- canonical: one of a host of that part; or with `links` the page they stand on
  part INTEGER NOT NULL,                 -- whose letter it is
  depth INTEGER NOT NULL,
  found_by TEXT NOT NULL,
  found_on TEXT NOT NULL,                -- the page that led to it, or ''
  text TEXT NOT NULL DEFAULT '',         -- the words of the link
  links TEXT,                            -- JSON: all links of the page to that part, [[url, words], …]; NULL: a URL
  UNIQUE (url, part)                     -- a later list of links takes the place of an earlier one, under a new seq
);
INSERT INTO letter (seq, url, part, depth, found_by, found_on, text)
  SELECT seq, url, part, depth, found_by, found_on, text FROM outbox ORDER BY seq;
DROP TABLE outbox;
ALTER TABLE letter RENAME TO outbox;
CREATE INDEX outbox_part ON outbox (part, seq);
-- What earlier versions had read says its links once more when it is read again.
UPDATE body SET leads = NULL WHERE EXISTS (SELECT 1 FROM part);
