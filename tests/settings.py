"""Settings of the test run: the product's own, with a fresh data folder and nothing from the caller's environment."""

import atexit
import os
import shutil
import tempfile

for name in [name for name in os.environ if name.startswith("HETEROOPT_")]:
    del os.environ[name]
os.environ["HETEROOPT_DATA_DIR"] = folder = tempfile.mkdtemp(prefix="heteroopt-test-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)

from config.settings import *  # noqa: E402, F403
