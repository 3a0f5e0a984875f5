"""What follows from a stored page? One file a follower; they are called in one order, within one transaction."""
