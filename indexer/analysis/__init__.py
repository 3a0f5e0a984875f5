"""Which terms does a text hold? Cut into words, normalised, taken apart, stemmed."""
