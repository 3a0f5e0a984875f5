"""What stands behind `plan`? The trial, the forecast, the crawling host, and the text to forward."""
