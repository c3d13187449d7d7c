"""How many files a process may open."""

import subprocess
import sys

import pytest
from django.conf import settings

PROGRAM = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from config.open_files import allow_many
print(allow_many(), *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(("soft", "hard", "holds"), [(256, 512, 512), (512, 512, 512)])
def test_the_soft_limit_is_raised_as_far_as_the_hard_one_allows(soft, hard, holds):
    program = PROGRAM.format(soft=soft, hard=hard)
    said = subprocess.run([sys.executable, "-c", program], cwd=settings.BASE_DIR, capture_output=True, check=True)
    assert said.stdout.split() == [b"%d" % holds, b"%d" % holds, b"%d" % hard]
