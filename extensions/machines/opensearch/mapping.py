"""How does a cluster index a page? Its words as our analysis cuts them, values to filter by, and two packed records.

A text is sent as slots, one for each position with the words there. So the index has our positions and gaps, and stems
nothing itself (`documents.py` makes slots). Each field has our saturation and length normalization
(`ranking/weights.py`). So OpenSearch's BM25 selects pages much as we would; our own ranking then orders them.

Shards and replicas are left to the cluster: an index template for `NAME-*` sets them. (OpenSearch, "Mappings and field
types", "Text analysis".)
"""

from __future__ import annotations

from typing import Any

from extensions.machines.opensearch.documents import EMPTY, SHARED
from indexer.ranking.weights import CALLED, Weights
from indexer.segments.generation import FORMAT as WORDS_FORMAT
from indexer.segments.schema import INDEX_FIELDS, IndexField

MAPPING_FORMAT = f"{WORDS_FORMAT}.2"  # the format of words and forms, then that of this mapping
META = "breadcrumb"  # in a mapping's _meta: marks an index of ours
MAX_SLOT_CHARS = 32_000  # in one slot; a word has at most 64
TOMBSTONE = "1h"  # a late repeat of a write from before a deletion arrives sooner than that
SAID, CALLS = "said", "called"  # one field each for the text of a page and for its names
K1 = {  # by field: how soon more of the same word stops counting there
    field: Weights().called if field in {CALLS, *CALLED} else Weights().said for field in (SAID, CALLS, *INDEX_FIELDS)
}
WORD_FLAGS = ("said", "begun", "spelt")  # flags of a word; each implies the one before it (documents.py)
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
            "_source": {"excludes": [*words, *packed]},  # else 300 candidates would be read whole
            "properties": words | packed | exact | counted,
        },
    }


def word_index() -> dict[str, Any]:
    """Return settings and mapping of the index of words, for corrections and completions."""
    exact: Field = {name: {"type": "keyword"} for name in ("word", "forms", "letters")}
    flags = {name: {"type": "boolean"} for name in WORD_FLAGS}
    return _plain_index(exact | flags | {"size": {"type": "integer"}})


def state_index() -> dict[str, Any]:
    """Return settings and mapping of the index of states: the position of each part, and its ranks by links."""
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
    """Return the analysis that keeps slots as they are: words at one position, and gaps without a word."""
    return {
        "tokenizer": {"slots": {"type": "char_group", "tokenize_on_chars": [" "], "max_token_length": MAX_SLOT_CHARS}},
        "filter": {
            "words": {"type": "pattern_capture", "preserve_original": False, "patterns": [f"([^{SHARED}]+)"]},
            "gaps": {"type": "stop", "stopwords": [EMPTY]},
        },
        "analyzer": {META: {"type": "custom", "tokenizer": "slots", "filter": ["words", "gaps"]}},
    }
