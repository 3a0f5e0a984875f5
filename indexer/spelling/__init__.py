"""Is a query misspelt, and how can it be completed? The terms of the index answer both."""
