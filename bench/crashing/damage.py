"""Does damage to a crawl go unnoticed, or stay? A finished crawl is damaged, asked and mended, again and again.

    bench/crash damage [--trials 1000] [--crawls 25] [--pages 30] [--seed 1] [--json]

Each trial damages one of the files of the index and the crawl database by turns. It flips a bit, overwrites a block of
512 bytes, or truncates the file. Then `search`, `why`, `report`, the gateway's views and the start of a crawl must
return the same as for the sound folder, or a message with what helps. Of so many trials (`--crawls`), one runs a whole
crawl. The bench then does what the message says, and all must be as before. Exit code 0: all of it held, each time.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.harness.program import parser_of, show, tell
from tests.durability.damage import DamageTrials
from tests.durability.generated_site import GeneratedSite
from tests.forks import ForkServer, forked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.durability.damage import Trial


def damaged(count: int, crawls: int, pages: int, seed: int) -> tuple[list[Trial], list[str]]:
    """Damage a finished crawl so many times; return the trials, and the faults before any damage."""
    trials: list[Trial] = []
    with tempfile.TemporaryDirectory() as name, GeneratedSite(seed, pages) as site:
        folder, sound = Path(name), Path(name, "sound")
        with ForkServer(folder, None) as forks:
            first = forked(forks, "crawl", "site", "-a", f"seeds={site.url}/", "-s", f"DATA_DIR={sound}")
            if first.returncode:
                raise SystemExit(f"crash: the crawl ended with {first.returncode}: {first.stderr}")
            # In one run, as the rebuild will be: equal scores are ordered by when their pages were indexed.
            forked(forks, "index", "--rebuild", "-s", f"DATA_DIR={sound}")
            urls = [f"{site.url}{path}" for path in ("/", "/p1.html", "/p5.html")]
            damage = DamageTrials(sound, folder, urls, forks, crawls)
            for trial in damage.trials(count, random.Random(seed)):
                trials.append(trial)
                if len(trials) % 50 == 0:
                    tell(f"{len(trials)} of {count}: {sum(bool(one.faults) for one in trials)} with faults")
    return trials, damage.faults


def sums(trials: Sequence[Trial]) -> dict[str, int]:
    """Return how many trials had each result."""
    return {
        "trials": len(trials),
        "told": sum(one.told > 0 for one in trials),
        "unharmed": sum(not one.told and not one.faults for one in trials),
        "silent": sum(one.silent > 0 for one in trials),
        "tracebacks": sum(one.tracebacks > 0 for one in trials),
        "not_mended": sum(one.mended is False for one in trials),
    }


def _kind_of(trial: Trial) -> tuple[str, str]:
    path = Path(trial.file)
    return f"index, a {path.suffix} file" if path.suffix == ".seg" else path.name, trial.kind


def main() -> int:
    """Damage, and print the results."""
    options = parser_of(__doc__, trials=1000, crawls=25, pages=30, seed=1).parse_args()
    trials, faults = damaged(options.trials, options.crawls, options.pages, options.seed)
    faults += [f"{one.file}, {one.kind} at {one.place}: {fault}" for one in trials for fault in one.faults]
    rows: list[dict[str, Any]] = [
        {"file": kind[0], "damage": kind[1]} | sums([one for one in trials if _kind_of(one) == kind])
        for kind in sorted(set(map(_kind_of, trials)))
    ]
    show({"damage": [*rows, {"file": "all", "damage": ""} | sums(trials)], "faults": faults}, options)
    return int(bool(faults))
