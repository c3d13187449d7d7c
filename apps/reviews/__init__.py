"""Reviews of plans: who agreed to what, what was said about it, and who is told."""
