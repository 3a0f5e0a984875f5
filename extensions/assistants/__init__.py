"""How do assistants search? Through four tools of the Model Context Protocol: search, read, why and robots.

The command `mcp` (mcp.py) speaks the protocol (server.py). What it says is in tools.py, which reads the crawl as the
gateway does, and in markdown.py. The launcher adds the SDK with the first `./breadcrumb mcp` (extra.txt).
"""
