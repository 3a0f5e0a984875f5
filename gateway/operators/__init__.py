"""Views for the operator and the owners of sites: health, the crawl report and /admin."""

from __future__ import annotations

from gateway.operators.admin_page import admin_views
from gateway.operators.monitoring import health_views, stats_views
from gateway.visitor_forms import policy_views

operator_views = (stats_views, health_views, policy_views, admin_views)
