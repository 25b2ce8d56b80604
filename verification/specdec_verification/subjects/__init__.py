"""Subjects: unmodified code whose random source is replaced while it runs."""
