"""How is a question answered from a cluster? Its words are looked up and counted, pages chosen, and ranked here."""
