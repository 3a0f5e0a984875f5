-- What a site puts on all of its pages (pages/content/site_template.py).
CREATE TABLE template_sample (           -- the pages of a site from which its template is learnt
  site INTEGER NOT NULL REFERENCES site,
  key INTEGER NOT NULL,                  -- of the address (visited.py): those with the smallest keys are in the sample
  url INTEGER NOT NULL UNIQUE REFERENCES url,
  marks BLOB NOT NULL,                   -- 64 bits for each line
  PRIMARY KEY (site, key, url)
) WITHOUT ROWID;

CREATE TABLE site_template (
  site INTEGER PRIMARY KEY REFERENCES site,
  version INTEGER NOT NULL DEFAULT 0,    -- stands for the marks; 0: no line is a template
  marks BLOB NOT NULL DEFAULT x'',       -- of the lines that are the template
  learnt_from INTEGER NOT NULL DEFAULT 0,  -- pages of the sample
  changed INTEGER NOT NULL DEFAULT 1,    -- 1: the sample is another one since
  pending INTEGER NOT NULL DEFAULT 0     -- 1: pages may have been judged by an earlier version
);

CREATE TABLE judged_by_template (        -- by which version the lines of a page were judged; no row: 0
  url INTEGER PRIMARY KEY REFERENCES page,
  version INTEGER NOT NULL
);
