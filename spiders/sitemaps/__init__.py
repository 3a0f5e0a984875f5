"""What does a sitemap list, of which address and from when?"""
