"""What stands around a crawl? Its words, its start, and its end."""
