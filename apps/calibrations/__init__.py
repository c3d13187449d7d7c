"""What devices really cost: measured on hosts here, or elsewhere and uploaded."""
