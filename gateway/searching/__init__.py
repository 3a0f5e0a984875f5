"""How does a form become a page of results? What was asked, by what it can be narrowed, and what is shown."""
