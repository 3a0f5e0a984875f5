"""How did a lease end? What is written for each outcome, within the transaction that the store holds."""
