"""How is an answer fetched, whatever the server sends? Within bounds, from addresses that may be asked."""
