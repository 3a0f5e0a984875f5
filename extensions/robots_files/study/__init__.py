"""What do the robots.txt files of many sites say? The numbers behind the search over them, as BotSeer had them.

BotSeer (Sun, Councill and Giles, 2008) searched the 2.2 million robots.txt files of 13.2 million sites, and told whom
they favour.
"""
