"""What is said of a crawl: when it ends, part by part, and of its traps."""
