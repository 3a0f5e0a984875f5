"""What does a page say, and how is it known again? Pure judgements on lines of text, for every floor above."""
