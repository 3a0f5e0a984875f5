"""Is this page worth keeping? Item pipelines, and the pure judgements behind them."""
