-- What the markup of a page hides, so that it can be judged again by its record. JSON (urls/signals.py, Disguise);
-- NULL: the page was stored before this was kept, and its body has to be read.

ALTER TABLE trait ADD COLUMN disguise TEXT;
