"""How can an index live in OpenSearch? It selects candidates by our terms; our code ranks them."""
