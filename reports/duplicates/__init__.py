"""What says the same, and what nearly the same? Clusters of a crawl, and what another threshold would make of them."""
