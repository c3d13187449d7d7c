"""One module for each kind of job that needs a device of this host."""
