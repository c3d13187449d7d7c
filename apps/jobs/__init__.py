"""Long work: a row is the truth about each job, the broker is only its doorbell."""
