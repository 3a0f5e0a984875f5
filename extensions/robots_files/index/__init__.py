"""Which robots.txt files answer a question? An index of their lines and groups, beside that of the pages."""
