"""Package of the engine; see DESIGN in docs/."""
