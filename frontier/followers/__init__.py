"""Which steps follow a stored page? One follower a module, in the order of `order.py`."""
