"""Which encoding do these bytes have? `decode` returns the text, the encoding and the reason.

- `decoding`: the order of the evidence, the declarations of a document, and contradictions between them
- `labels`: the encodings of the web and all their names (WHATWG)
- `detection`: measures the bytes where nothing is declared
"""

from pages.encoding.decoding import Decoded, decode, query_codec
from pages.encoding.labels import text_of

__all__ = ["Decoded", "decode", "query_codec", "text_of"]
