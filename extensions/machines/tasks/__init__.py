"""What does one machine do with one part of a crawl? It fetches its folder, crawls or changes it, and puts it back."""
