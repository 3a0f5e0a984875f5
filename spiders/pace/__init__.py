"""How often does a host get a request, and when does it rest?"""
