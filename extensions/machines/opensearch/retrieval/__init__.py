"""How is a query answered from a cluster? Its words are looked up and counted, pages selected there and ranked here."""
