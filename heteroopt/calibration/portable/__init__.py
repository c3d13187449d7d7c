"""The measuring itself: Python 3.8 or newer, numpy and a runtime; ``single_file`` joins it for other machines."""
