"""What does the owner of a crawled site see of each robot in the access log? `/inside/owner`."""
