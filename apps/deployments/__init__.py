"""Files that carry a plan away."""
