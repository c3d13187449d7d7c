"""ONNX Runtime: every execution provider that it reports is a device; its CPU also as several sets of cores."""
