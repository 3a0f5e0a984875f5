"""Were the guidelines for operators of robots kept? `/inside/etiquette` holds this crawl against each of them."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from flask import Blueprint, current_app, render_template

from extensions.audit import claims
from extensions.audit.etiquette import evidence, guidelines, tables
from extensions.audit.etiquette.evidence import read_evidence
from extensions.audit.etiquette.guidelines import GUIDELINES, GuidelineVerdict
from gateway.served_crawl import MONITOR_CACHE_SECONDS, TimedCache, served_crawl
from gateway.source_files import source_files_of

if TYPE_CHECKING:
    from extensions.audit.etiquette.evidence import CrawlEvidence

etiquette_view = Blueprint("inside_etiquette", __name__, template_folder="../templates")


@etiquette_view.get("/inside/etiquette")
def etiquette() -> str:
    """Show each guideline with the evidence of the crawl, at most MONITOR_CACHE_SECONDS old."""
    kept: TimedCache[CrawlEvidence] = current_app.extensions.setdefault(
        "etiquette", TimedCache(MONITOR_CACHE_SECONDS, time.monotonic)
    )
    crawl = kept.get(lambda: read_evidence(served_crawl().parts()))
    groups = {
        group: [(guideline, guideline.finding(crawl)) for guideline in listed] for group, listed in GUIDELINES.items()
    }
    verdicts = Counter(finding.verdict for listed in groups.values() for _, finding in listed)
    sources = source_files_of(guidelines, evidence, claims, tables)
    return render_template(
        "inside/etiquette.html",
        sources=sources,
        groups=groups,
        verdicts=verdicts,
        GuidelineVerdict=GuidelineVerdict,
        parts=crawl.parts,
    )
