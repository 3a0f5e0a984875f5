"""Is a query misspelt, and how may it go on? The terms of the index answer both."""
