-- How often the graph of links has changed: the index writer computes PageRank anew by it.

CREATE TABLE link_change (               -- one row
  one INTEGER PRIMARY KEY CHECK (one = 1),
  links INTEGER NOT NULL                 -- that came or went, ever
);
INSERT INTO link_change SELECT 1, count(*) FROM link;
