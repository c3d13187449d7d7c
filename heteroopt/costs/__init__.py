"""What every operator costs on every device, and what a transfer costs."""

from heteroopt.costs.roofline import roofline_cost_table
from heteroopt.costs.table import BOUNDS, COST_SOURCES, ENERGY_SOURCES, CostTable

__all__ = ["BOUNDS", "COST_SOURCES", "ENERGY_SOURCES", "CostTable", "roofline_cost_table"]
