"""Which robots.txt files match a query? An index of their lines and groups, next to that of the pages."""
