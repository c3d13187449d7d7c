"""What every operator costs on every device, and what a transfer costs."""

from heteroopt.costs.table import BOUNDS, COST_SOURCES, CostTable

__all__ = ["BOUNDS", "COST_SOURCES", "CostTable"]
