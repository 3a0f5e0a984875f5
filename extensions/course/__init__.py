"""What does a course on search engines need beyond the engine? Labs and slides, for docs/teaching.md."""
