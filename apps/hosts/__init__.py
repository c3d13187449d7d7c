"""The hosts of the installation: their runtimes and devices, what each can run, and how exactly."""
