"""Is a ranking better than another one? What moves when a weight is turned, and what judged questions say to it."""
