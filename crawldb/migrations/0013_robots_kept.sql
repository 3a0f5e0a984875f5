-- For how long a server lets its robots.txt be used while there is no newer one (robots/access_state.py, Copy.kept).
ALTER TABLE robots ADD COLUMN kept REAL NOT NULL DEFAULT 0;  -- seconds from good_at on
ALTER TABLE robots ADD COLUMN meant INTEGER NOT NULL DEFAULT 0;  -- 1: misspelt lines are read as they are meant
ALTER TABLE robots ADD COLUMN host TEXT NOT NULL DEFAULT '';  -- its Host line: of its mirrors, the original
