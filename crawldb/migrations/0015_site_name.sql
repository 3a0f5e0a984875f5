-- What a site is called, as most of its titles show: it is cut off them where they are read (pages/content/site_name.py).

CREATE TABLE site_name (
  site INTEGER PRIMARY KEY REFERENCES site,
  name TEXT NOT NULL,
  shown_by INTEGER NOT NULL,             -- of `titles` different titles, the newest, when it was learnt
  titles INTEGER NOT NULL
);
