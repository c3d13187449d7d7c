"""The truth about what each runtime computes: which operators it has, and how far its results are from another's."""
