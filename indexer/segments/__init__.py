"""How is the index written? Segments that never change, merged now and then, committed all or nothing."""
