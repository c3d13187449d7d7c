"""The export formats that ship with HeteroOpt, one module a format."""
