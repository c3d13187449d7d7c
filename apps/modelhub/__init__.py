"""Uploaded models: files, parsing, symbolic dimensions, operators."""
