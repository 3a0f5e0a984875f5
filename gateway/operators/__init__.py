"""What do those see who answer for the crawl? Its health and its numbers, what needs them, and what they may do.

The policy page is here as well: there the owner of a site says what needs whoever runs the crawl.
"""

from __future__ import annotations

from gateway.operators.admin_page import admin_views
from gateway.operators.monitoring import health_views, stats_views
from gateway.visitor_forms import policy_views

operator_views = (stats_views, health_views, policy_views, admin_views)
