"""How do pages get into the index? They are inverted, written as segments, and small segments are merged."""
