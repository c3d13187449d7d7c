"""One module for each kind of job; all of them are imported when a worker starts."""
