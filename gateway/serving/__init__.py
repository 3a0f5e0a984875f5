"""How does the gateway listen? One socket, a few threads, and timeouts for slow clients."""
