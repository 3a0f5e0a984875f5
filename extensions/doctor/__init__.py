"""What is missing or wrong, and which command mends it? `./breadcrumb doctor`; a bug report begins with its output.

It works without an environment, with a broken one, and with a broken data folder: a module imports packages only where
it uses them, and a check that fails is a finding.
"""
