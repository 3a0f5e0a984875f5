-- Whether the history of the robots.txt files is as it was: one look, where comparing all versions takes 8 us each.

CREATE TABLE robots_history (
  mark BLOB NOT NULL                     -- another one after each change; by chance, so that a backup has none of later
);
INSERT INTO robots_history VALUES (randomblob(16));
CREATE TRIGGER robots_history_put AFTER INSERT ON robots_version BEGIN UPDATE robots_history SET mark = randomblob(16); END;
CREATE TRIGGER robots_history_set AFTER UPDATE ON robots_version BEGIN UPDATE robots_history SET mark = randomblob(16); END;
CREATE TRIGGER robots_history_gone AFTER DELETE ON robots_version BEGIN UPDATE robots_history SET mark = randomblob(16); END;
