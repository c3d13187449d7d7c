"""The runtimes that ship with us, a folder each: code, ``device_config.yaml``, conformance results."""
