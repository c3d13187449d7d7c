"""Search for plans: genomes, seeds, variation and NSGA-II, driven step by step by the caller."""
