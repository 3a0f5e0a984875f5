"""How do numbers become a picture? Inline SVG, made from numbers alone, beside a table of the same numbers.

    plot = line_plot({"pages": [(0, 1), (1, 4)]}, title="Pace", x="minutes", y="pages a minute")
    {{ plot_with_table(plot) }}            in a template, after {% from "inside/plot.html" import plot_with_table %}

A plot has no style of its own: `static/inside.css` gives its classes their colours, light and dark.
"""

from __future__ import annotations

from gateway.plots.bars import bar_plot
from gateway.plots.graph import Node, graph_plot
from gateway.plots.lines import line_plot
from gateway.plots.svg import Plot

__all__ = ["Node", "Plot", "bar_plot", "graph_plot", "line_plot"]
