"""How does a line of words become a command that runs? Its words, its settings, the folder it opens, its exit code."""
