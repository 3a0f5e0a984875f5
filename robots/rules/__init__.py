"""How do the lines of a robots.txt become the rules for one robot? Lines, groups, rules, and their policy."""
