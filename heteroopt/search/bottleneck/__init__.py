"""Placements for throughput: the least load of the busiest device, contiguous by dynamic programming, then improved."""
