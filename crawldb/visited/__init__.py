"""Have we met this URL before? Exactly, on the disk; at once, for what was just met; and nearly, in a few bits.

lookup     the exact set: a small key of each URL leads to the row that holds the URL itself
spellings  the filter before it: what pages link to again and again, in a bounded piece of memory
bits       the lossy set that the book describes: a presence bit array, and what it takes for known wrongly
"""
