"""The writer inverts pages into segments, and merges small segments."""
