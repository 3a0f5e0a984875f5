"""Which pages are known under several names, what speaks for it, and what happens when a person says so?"""
