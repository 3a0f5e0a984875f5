"""Which URL is next, and which is none of ours? The whole policy on URLs, as plain Python."""
