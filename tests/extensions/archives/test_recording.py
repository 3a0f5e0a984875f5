"""Which decisions does the archive record? Lines next to each exchange."""

from crawldb.learnt import Purpose
from crawldb.tables.queue import Lease
from extensions.archives.recording.archiving import decision
from tests.samples import SEED, an_outcome
from urls.records import LeaseEnd


def test_a_lease_that_probes_says_what_it_is_to_find_out() -> None:
    lease = Lease(0, SEED, "", 0, 0, seed=False, referer="", etag="", last_modified="", probes=Purpose.MISSING)
    assert ("probe", "missing") in decision(an_outcome(SEED, LeaseEnd.GONE), lease)
