"""What does a program get? Results as JSON and as a feed, suggestions, and a description of each that it can read."""
