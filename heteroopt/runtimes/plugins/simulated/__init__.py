"""A made-up vendor whose device does, on request, everything that real ones get wrong."""
