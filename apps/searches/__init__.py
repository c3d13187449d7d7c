"""Searches, their fronts and their plans."""
