"""Should this page be indexed? Item pipelines, and the pure judgements behind them."""
