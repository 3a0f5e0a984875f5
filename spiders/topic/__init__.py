"""What is a crawl with a topic looking for, and which words of a page speak of it?

`read_topic` makes the topic of words or of files, and `TopicReader` finds its terms in pages, links and addresses.
What follows from them is a matter of `urls/promise.py`, and in which order URLs come of `frontier/followers/topic.py`.
"""

from spiders.topic.description import TopicError, read_topic
from spiders.topic.reader import TopicReader

__all__ = ["TopicError", "TopicReader", "read_topic"]
