"""Were the guidelines for operators of robots kept? `/inside/etiquette` holds this crawl against each of them."""

from __future__ import annotations

from collections import Counter

from flask import Blueprint, render_template

from extensions.audit import claims
from extensions.audit.etiquette import evidence, guidelines, tables
from extensions.audit.etiquette.evidence import read_evidence
from extensions.audit.etiquette.guidelines import GUIDELINES, GuidelineVerdict
from gateway.served_crawl import MONITOR_CACHE_SECONDS, kept_in_app, served_crawl
from gateway.source_files import source_files_of

etiquette_view = Blueprint("inside_etiquette", __name__, template_folder="../templates")


@etiquette_view.get("/inside/etiquette")
def etiquette() -> str:
    """Show each guideline with the evidence of the crawl, at most MONITOR_CACHE_SECONDS old."""
    crawl = kept_in_app("etiquette", MONITOR_CACHE_SECONDS, lambda: read_evidence(served_crawl().parts()))
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
