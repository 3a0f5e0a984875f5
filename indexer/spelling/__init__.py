"""Was another word meant, and how may a question go on? Answered from the words of the index."""
