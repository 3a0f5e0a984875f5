"""Which part of a divided crawl has which hosts, and how do URLs get from one part to another?"""
