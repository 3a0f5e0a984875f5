"""What would the owner of a site want to know about a robots.txt? `robots.lint` asks all that stands here."""
