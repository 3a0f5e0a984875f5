"""The parts that all commands share: arguments, settings, data folder, output and exit codes."""
