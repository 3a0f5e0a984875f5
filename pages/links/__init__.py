"""Where do the links of a page lead, and with which words?"""
