"""Parallel training: annotations of tensors, the communication between them, and plans for unlike devices."""
