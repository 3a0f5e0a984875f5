"""In which encoding are these bytes? `decode` answers, and says why.

decoding    the order of the evidence, and what is done where it contradicts itself
labels      the encodings of the web and all their names (WHATWG)
declared    what a document says of itself: metas and an XML declaration
detected    what the bytes show where nothing is declared
"""

from pages.encoding.decoding import Decoded, decode, query_codec
from pages.encoding.labels import text_of

__all__ = ["Decoded", "decode", "query_codec", "text_of"]
