"""How does one machine work on one part of a crawl? It fetches the folder, crawls or changes it, and puts it back."""
