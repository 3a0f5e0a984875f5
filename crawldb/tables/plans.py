"""What was a person told before the run? The newest plan, kept so that plan and actual can be set side by side."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crawldb.database import CrawlDatabase


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan: made at `at` (seconds since the epoch), from what run `run` of round `round` had measured."""

    at: float
    run: int
    round: int
    estimate: Mapping[str, Any]  # reports/plan/estimate.py, as_dict


def write_plan(database: CrawlDatabase, run: int, estimate: Mapping[str, Any]) -> None:
    """Keep a plan, in one transaction."""
    with database.transaction() as connection:
        connection.execute(
            "INSERT INTO plan (at, run, estimate) VALUES (?, ?, ?)", (time.time(), run, json.dumps(estimate))
        )


def newest_plan(database: CrawlDatabase) -> StoredPlan | None:
    """Return the newest plan, or None where none was ever made."""
    row = database.connection.execute(
        "SELECT at, run, run.round, estimate FROM plan JOIN run ON run.id = plan.run ORDER BY plan.id DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return None
    at, run, round_, estimate = row
    return StoredPlan(at, run, round_, json.loads(estimate))
