"""Does a server show our robot what it shows others? `compare` requests each page twice, as two agents.

It adds only a command.
"""
