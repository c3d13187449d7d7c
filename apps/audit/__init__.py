"""Who did what to which object, and who was refused."""
