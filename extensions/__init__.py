"""What can Breadcrumb do beyond its engine? Each folder here is a built-in extension: one capability, whole.

`built_in.txt` names the extensions that are on, a line each. An extension uses the engine, and the engine knows it only
through the extension points (extension_points/points.py) and through its `listing.txt`, which has a command a line:
the launcher shows commands before there is an environment that could import them. Whoever deletes a folder and its line
has a Breadcrumb without that capability; tests/extensions does so with each.
"""
