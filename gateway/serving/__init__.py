"""How does the gateway listen? One socket, a few threads, and patience with slow and many clients that has an end."""
