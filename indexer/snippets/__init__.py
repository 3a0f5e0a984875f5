"""Which lines of a page does a result show, and which words in them are highlighted?"""
