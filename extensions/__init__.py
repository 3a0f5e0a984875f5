"""What can Breadcrumb do beyond its engine? Each folder here is a built-in extension: one capability, whole.

`built_in.txt` names the extensions that are on, a line each. An extension uses the engine. The engine knows it only
through the extension points (extension_points/points.py) and its `listing.txt`, with a command a line. The launcher
reads that list, since it shows commands before there is an environment that could import them. Deleting a folder and
its line removes that capability and nothing else; tests/extensions does so with each.
"""
