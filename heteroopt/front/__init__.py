"""The Pareto front for people: normalised, sorted, chosen from and compared."""
