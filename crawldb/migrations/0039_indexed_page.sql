-- Which pages are in the index? Those that no filter rejected. This view alone says so, and every query asks it.

CREATE VIEW indexed_page AS SELECT * FROM page WHERE refusals = '[]';
