"""What is kept of each page: its record and body, its copies and its near copies, and what it shows of spoofing."""
