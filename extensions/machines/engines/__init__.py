"""Which engine runs the turns of parts? Processes on this machine, or Spark."""
