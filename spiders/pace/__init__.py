"""How often is a host asked, and when does it rest?"""
