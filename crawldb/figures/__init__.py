"""What do the tables say together? Counts and rows over several tables, for reports. Nothing here writes."""
