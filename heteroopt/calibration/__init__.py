"""Measuring what operators, transfers and overlap really cost on a device, and judging those figures."""
