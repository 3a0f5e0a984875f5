"""May we? The gate that asks for robots.txt before anything else."""
