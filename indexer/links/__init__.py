"""What do links say of a page? The graph with its weights, PageRank over it, and hubs and authorities."""
