"""The page itself: index, session, templates, sample workspace."""
