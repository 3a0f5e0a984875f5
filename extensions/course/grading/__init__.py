"""Is a lab done well? The right answer is measured in the student's own folder, never looked up in a table.

A lab has predictions and hand-ins (docs/teaching.md). A prediction counts if it was made: what came out differently is
what a lab is for. A hand-in counts if it is right. `labs/` has one module a lab.
"""
