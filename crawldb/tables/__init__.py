"""One module for each table: URLs, links, journal, hosts, sites, robots.txt files, runs and others."""
