"""Plans of parallel training: what was asked, the job that plans, and what came out."""
