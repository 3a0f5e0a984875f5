"""What are the parts of the command `robots` and of the search over robots.txt files?"""
