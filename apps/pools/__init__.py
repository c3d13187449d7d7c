"""Device pools of a team and their versions."""
