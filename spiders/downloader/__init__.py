"""How is a response fetched, whatever the server sends? Within limits, and only from permitted IP addresses."""
