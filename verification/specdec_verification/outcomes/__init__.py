"""Outcomes that were drawn elsewhere: counting them, and reading them from files."""
