"""The engine's version, stored with every result."""

__version__ = "0.1.0"
