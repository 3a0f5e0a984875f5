"""What will a big run cost, and what did it cost? Measured on a trial, estimated, announced, compared afterwards."""
