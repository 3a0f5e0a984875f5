"""What does a page say about itself, beside its words? Its title, dates, place in the site, translations."""
