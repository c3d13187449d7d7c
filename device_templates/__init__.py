"""Device templates and sample pools as data files; read through heteroopt.devices.templates."""
