"""Plans to start a search from, one idea a file."""
