"""The numbers of a study of many robots.txt files, as in BotSeer.

BotSeer (Sun, Councill and Giles, 2008) searched the 2.2 million robots.txt files of 13.2 million sites, and showed
which robots they favour.
"""
