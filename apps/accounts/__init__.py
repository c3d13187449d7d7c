"""Users, teams, roles and sign-in."""
