"""How does the archive come to know what is sent and received? It listens at the connections."""
