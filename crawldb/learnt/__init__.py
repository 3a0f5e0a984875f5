"""What the crawl learns of each site: its template and name, its answer to a missing page, its stylesheets."""
