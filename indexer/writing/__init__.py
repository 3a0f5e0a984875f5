"""Pages are inverted and written as segments; small segments are merged."""
