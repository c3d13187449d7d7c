"""``python -m heteroopt.cli``."""

import sys

from heteroopt.cli import main

sys.exit(main())
