-- A crawl in parts may be split into more parts. Which part has a host then follows from all numbers of parts that it had.

CREATE TABLE earlier_division (          -- of a crawl that was never split it is empty
  number INTEGER PRIMARY KEY,            -- 1: as it began
  parts INTEGER NOT NULL
);
