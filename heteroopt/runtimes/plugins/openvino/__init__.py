"""OpenVINO: every device that it lists on this host, with the precision said instead of left to its default."""
