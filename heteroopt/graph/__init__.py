"""Graphs of operators and tensors: their types, readers, shapes, costs in FLOP and bytes, and fusion."""
