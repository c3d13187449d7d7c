"""Compiling ahead: callable from the package, and the package itself imports nothing heavy."""

import subprocess
import sys

from heteroopt.search import warm_up


def test_the_package_is_light_to_import():
    code = (
        "import sys, heteroopt.search.settings; print([m for m in ('numba', 'pymoo', 'moocore') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_warming_up_runs_the_whole_search_once():
    assert warm_up() is None
