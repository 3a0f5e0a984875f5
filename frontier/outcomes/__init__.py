"""How did a lease end? Each outcome is written here, within the transaction that the store holds."""
