"""Which pages does the gateway have? One module a subject, each with the paths that it answers."""
