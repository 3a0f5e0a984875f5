"""Which text does a reader see, and how much of it is content?"""
