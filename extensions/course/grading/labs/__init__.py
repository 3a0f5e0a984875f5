"""The checks of each lab: `PREDICTIONS` by number, and `HAND_INS` in the order of the lab's page."""
