#!/usr/bin/env python
"""Runs a management command from a checkout; an installed package does the same with ``python -m config``."""

from config.__main__ import main

if __name__ == "__main__":
    main()
