"""What does a cluster know of a page? Its words as we cut them, what it is filtered by, and two packed records.

A text reaches it as slots, one for each position with the words that stand there: so its index has our positions and
our gaps, and stems nothing itself (`documents.py` makes slots). Each field has our saturation and our share of the
length (`ranking/weights.py`): its BM25 chooses pages much as we would, and our own ranking puts them in order.

Shards and copies are left to the cluster: an index template for `NAME-*` says how many.
(OpenSearch, "Mappings and field types", "Text analysis".)
"""

from __future__ import annotations

from typing import Any

from extensions.machines.opensearch.documents import EMPTY, SHARED
from indexer.ranking.weights import CALLED, Weights
from indexer.segments.generation import FORMAT as WORDS_FORMAT
from indexer.segments.schema import INDEX_FIELDS, IndexField

MAPPING_FORMAT = f"{WORDS_FORMAT}.1"  # of words and forms, and of what follows
META = "breadcrumb"  # in a mapping's _meta: how an index of ours is known
MAX_SLOT_CHARS = 32_000  # of a position; a word has at most 64
TOMBSTONE = "1h"  # a late repetition of what was put before a page was taken out comes sooner than that
SAID, CALLS = "said", "called"  # all that a page says, and all that it is called, as one field each
K1 = {  # of a field: how soon more of the same word stops counting there
    field: Weights().called if field in {CALLS, *CALLED} else Weights().said for field in (SAID, CALLS, *INDEX_FIELDS)
}
WORD_FLAGS = ("said", "begun", "spelt")  # of a word, each of which implies the one before it (documents.py)
Field = dict[str, Any]
_SAID_IN = {IndexField.BODY, IndexField.HEADINGS, IndexField.DESCRIPTION, IndexField.TITLE, IndexField.READING}
_EXACT: Field = {"type": "keyword"}
_PACKED: Field = {"type": "binary"}
_KINDS = {
    "keyword": ("url", "url_key", "site", "languages", "file_types", "year", "labels", "pairs", "names", "part"),
    "double": ("dated", "expires"),
    "long": ("cluster",),
    "integer": ("home", "epoch"),
    "boolean": ("not_fetched", "entrance"),
}


def page_index() -> dict[str, Any]:
    """Return settings and mapping of the index of pages."""
    weights = Weights()
    lengths = {SAID: weights.body_length, CALLS: weights.title_length}
    lengths |= {field.value: weights.length_of(field) for field in INDEX_FIELDS}
    similar = {field: {"type": "BM25", "k1": K1[field], "b": share} for field, share in lengths.items()}
    words: Field = {field: _words(field) for field in similar}
    for field in INDEX_FIELDS:
        words[field.value] |= {"copy_to": _copied(field)}
    packed = {"record": _PACKED | {"store": True}, "forward": _PACKED | {"doc_values": True}}
    exact: Field = {name: {"type": kind} for kind, names in _KINDS.items() for name in names}
    counted = {f"{field}_length": {"type": "integer", "index": False} for field in INDEX_FIELDS}
    settings = {"similarity": similar, "analysis": _analysis(), "gc_deletes": TOMBSTONE, "refresh_interval": "-1"}
    return {
        "settings": {"index": settings},
        "mappings": {
            "dynamic": "strict",
            "_source": {"excludes": [*words, *packed]},  # 300 candidates would have to be read whole
            "properties": words | packed | exact | counted,
        },
    }


def word_index() -> dict[str, Any]:
    """Return settings and mapping of the index of words, which corrections and completions come from."""
    exact: Field = {name: {"type": "keyword"} for name in ("word", "forms", "letters")}
    flags = {name: {"type": "boolean"} for name in WORD_FLAGS}
    return _plain_index(exact | flags | {"size": {"type": "integer"}})


def state_index() -> dict[str, Any]:
    """Return settings and mapping of the index of states: how far each part is, and what links say of its pages."""
    kept = {"type": "object", "enabled": False}
    return _plain_index({"part": _EXACT, "position": {"type": "long"}, "state": kept, "chunk": _PACKED, "of": _EXACT})


def _plain_index(properties: Field) -> dict[str, Any]:
    return {
        "settings": {"index": {"refresh_interval": "-1"}},
        "mappings": {"dynamic": "strict", "properties": properties},
    }


def _words(similarity: str) -> Field:
    return {"type": "text", "analyzer": META, "index_options": "positions", "similarity": similarity}


def _copied(field: IndexField) -> list[str]:
    said = [SAID] if field in _SAID_IN else []
    return said + [CALLS] * (field in CALLED)


def _analysis() -> dict[str, Any]:
    """Return the analysis that takes slots as they are: words at one position, and gaps where no word is."""
    return {
        "tokenizer": {"slots": {"type": "char_group", "tokenize_on_chars": [" "], "max_token_length": MAX_SLOT_CHARS}},
        "filter": {
            "words": {"type": "pattern_capture", "preserve_original": False, "patterns": [f"([^{SHARED}]+)"]},
            "gaps": {"type": "stop", "stopwords": [EMPTY]},
        },
        "analyzer": {META: {"type": "custom", "tokenizer": "slots", "filter": ["words", "gaps"]}},
    }
