"""How many links call a page by a text? Counted when PageRank is: the entry of a page has each text only once.

A text is compared with a query as a whole: its words as they are indexed (`analysis/tokenizer.py`), in their order. A
text with a section number before it ("4.2. Sequences") counts without the number, too.

A page of the same site counts once, however many of its links have the text. Another site counts once, however many of
its pages do: these are often one decision, such as a menu, or one that was bought. So many links from few sites bring
no more than the number of these sites.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from indexer.analysis.tokenizer import analyze_token, raw_tokens
from indexer.segments.link_ranks import LinkTexts
from indexer.segments.schema import url_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from crawldb.pages.feed import LinkTextRows
    from indexer.segments.link_ranks import LinkRanks

PRIME = 1_811_004_864_519_280_681  # of 61 bits; BLAKE2b, as for URLs, is more than a browser has
CACHED_TOKENS = 1 << 15  # 7 MB when full: a crawl counts several times
_NUMBER = re.compile(r"\A\s*(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)*\.|[A-Z](?:\.\d+)+)\s+")  # "4.2.", "B.1" or "C."


def text_key(text: str) -> int:
    """Return the number that represents the words of a text in their order; 0 for a text without words."""
    words = " ".join(filter(None, map(_in_sequence, raw_tokens(text))))
    return int.from_bytes(words.encode("utf-8", "backslashreplace")) % PRIME


@lru_cache(CACHED_TOKENS)
def _in_sequence(raw: str) -> str:
    return " ".join(part.text for part in analyze_token(raw).sequence)


def with_link_texts(ranks: LinkRanks, rows: LinkTextRows) -> LinkRanks:
    """Return the ranks, and how many links have each text, for the URLs that have a rank."""
    anchor, target, linking = rows.links.T
    urls = np.array([url_key(url) for url in rows.targets.values()], np.uint64)
    places, known = ranks.places(urls)
    place = _values(target, dict(zip(rows.targets, np.where(known, places, -1).tolist(), strict=True)))
    plain = {each: text_key(text) for each, text in rows.texts.items()}
    numbered = {each: text_key(short) for each, text in rows.texts.items() if (short := _without_number(text)) != text}
    keys = [_values(anchor, known) for known in (plain, numbered)]
    every = [np.stack([key, place, linking], axis=1)[(key > 0) & (place >= 0)] for key in keys]
    distinct, _ = _distinct(np.concatenate(every))
    pairs, links = _distinct(distinct[:, :2])
    texts = LinkTexts(pairs[:, 0].astype(np.uint64), pairs[:, 1].astype(np.uint32), links.astype(np.uint32))
    return replace(ranks, state=replace(ranks.state, link_texts=len(texts.keys)), texts=texts)


def _without_number(text: str) -> str:
    return _NUMBER.sub("", text, count=1)


def _values(ids: NDArray[np.int64], known: dict[int, int]) -> NDArray[np.int64]:
    """Return the value of each id; -1 for an unknown one."""
    found = np.array(sorted(known.items()) or [(0, -1)], np.int64)
    row = np.minimum(np.searchsorted(found[:, 0], ids), len(found) - 1)
    return np.where(found[row, 0] == ids, found[row, 1], -1)


def _distinct(rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct rows, ascending, and how often each is there. `np.unique` takes twice as long for this."""
    rows = rows[np.lexsort(rows.T[::-1])]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    firsts = np.flatnonzero(is_new)
    return rows[firsts], np.diff(firsts, append=len(rows))
