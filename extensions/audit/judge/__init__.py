"""How good is a robot? Its requests to the practice web, held against the truth and the robots.txt of each site."""
