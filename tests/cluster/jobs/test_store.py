"""Jobs on a store: a part is asked and changed under a term, and a person looks into all of it with every command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from cluster.jobs.copies import join_copies
from cluster.jobs.fetching import fetch_all
from cluster.jobs.pagerank import rank_all
from cluster.part_change import PartsInStore
from cluster.store.objects import StoreError
from cluster.store.shared_store import SharedStore
from cluster.store.terms import TermHeld
from cluster.task import Task, crawl_part
from cluster.versions import Versions
from crawldb.database import CrawlDatabase
from crawldb.parts.parts import Parts
from indexer import open_index
from tests.cluster.jobs.divided import PARTS

if TYPE_CHECKING:
    from pathlib import Path
