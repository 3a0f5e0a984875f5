"""How is one answer read off the wire? Within bounds, and no further than its status asks."""
