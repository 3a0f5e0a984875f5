"""How do URLs come from the frontier to the downloader, and how does each lease end?"""
