"""The Python interface: the names that ``import heteroopt as hopt`` offers."""
