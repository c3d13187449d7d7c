"""``python -m workers``: the supervisor, which ``manage.py serve`` becomes."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from workers.supervisor import main

if __name__ == "__main__":
    main()
