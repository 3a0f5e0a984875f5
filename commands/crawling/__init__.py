"""What stands around a crawl? Its words, its start, and the processes of a farm."""
