"""What does a file say that is no markup? PDF (pdf.py) and office files (office.py), made a `Page` (text.py).

Nothing here starts a process: spiders/documents/ runs the parsers of these files where they may die.
"""

from pages.documents.text import DocumentLimits, DocumentText, ReadsDocuments, page_of_document

__all__ = ["DocumentLimits", "DocumentText", "ReadsDocuments", "page_of_document"]
