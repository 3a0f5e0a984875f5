"""One state of the index, as all who read it see it: its segments, their live pages, and the statistics of these."""
