"""What is learnt of each site: its template and name, what it says for a missing page, what changes by itself."""
