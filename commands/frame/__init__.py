"""What do all commands share? Their words, their settings, their folder, what they print and how they end."""
