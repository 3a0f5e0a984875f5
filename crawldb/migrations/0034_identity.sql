-- Which crawl is this? Its seal and its index carry the same number, so that another's are not taken for its own.

CREATE TABLE identity (
  id TEXT NOT NULL                       -- 32 hexadecimal digits, drawn once
);
INSERT INTO identity VALUES (lower(hex(randomblob(16))));
