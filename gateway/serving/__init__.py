"""How does the gateway listen? One socket, a few threads, and timeouts with slow and many clients that has an end."""
