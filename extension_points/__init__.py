"""Where can an extension plug in? `points.py` lists every extension point.

    from extension_points import IndexedField, extends

    @extends
    def index_fields():
        return [IndexedField("author", read_author, label="Author")]

An extension is a module with such functions, each named for the point that it uses. `registry.py` finds the extensions
and calls them. docs/extending.md builds one.
"""

from extension_points.additions import (
    AddedCrawl,
    AddedOrder,
    AddedTables,
    ApiDescription,
    CommandOptions,
    CrawlRecorder,
    ExportFormat,
    ForeignIndex,
    ForeignPage,
    IndexedField,
    IndexWork,
    InsideView,
    OperatorView,
    OptionProposal,
    RankingWeight,
    RecorderNotes,
    RemovedCopies,
    ReportSection,
    ReportSubject,
    SearchableCollection,
    SearchSchema,
    SpiderArgument,
    StoredCopies,
    WhySection,
)
from extension_points.points import extends
from extension_points.registry import (
    ENTRY_POINT,
    RESERVED,
    ExtensionError,
    added_fields,
    added_settings,
    added_tables,
    added_weights,
    areas_apart,
    built_in,
    call_extensions,
    manager,
    read_added_fields,
)

__all__ = [
    "ENTRY_POINT",
    "RESERVED",
    "AddedCrawl",
    "AddedOrder",
    "AddedTables",
    "ApiDescription",
    "CommandOptions",
    "CrawlRecorder",
    "ExportFormat",
    "ExtensionError",
    "ForeignIndex",
    "ForeignPage",
    "IndexWork",
    "IndexedField",
    "InsideView",
    "OperatorView",
    "OptionProposal",
    "RankingWeight",
    "RecorderNotes",
    "RemovedCopies",
    "ReportSection",
    "ReportSubject",
    "SearchSchema",
    "SearchableCollection",
    "SpiderArgument",
    "StoredCopies",
    "WhySection",
    "added_fields",
    "added_settings",
    "added_tables",
    "added_weights",
    "areas_apart",
    "built_in",
    "call_extensions",
    "extends",
    "manager",
    "read_added_fields",
]
