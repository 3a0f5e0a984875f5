"""Which text does a page hide from its readers, and where do its scripts redirect them?"""
