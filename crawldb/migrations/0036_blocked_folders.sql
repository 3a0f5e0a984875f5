-- A URL that ends with a slash meant the folder. It now means the page, and a folder is the pattern FOLDER*.

UPDATE OR REPLACE block SET kind = 'pattern', target = target || '*'
WHERE kind = 'url' AND target LIKE '%/' AND instr(target, '?') = 0;
