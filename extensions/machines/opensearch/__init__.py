"""How can an index live in OpenSearch? It chooses candidates by our terms; the ranking here scores them."""
