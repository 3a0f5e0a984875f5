"""How does the archive get the bytes that are sent and received? Its connections record both directions."""
