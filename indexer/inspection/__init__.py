"""What is inside an index? Its lists, its dictionary, its lengths and its segments, read as a search reads them.

Nothing here is needed to answer a question: it is for whoever wants to see what a question is answered from.
"""
