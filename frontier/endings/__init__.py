"""How did a lease end? What is written for each ending, within the transaction that the store holds."""
