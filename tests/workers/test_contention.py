"""Several processes at one SQLite file, as web and workers are in the default deployment."""

import subprocess
import sys

from django.conf import settings

from apps.jobs.models import Job
from tests.workers.backends import Backend, in_this_process, set_up, team

PROCESSES, TIMES, JOBS = 4, 50, 40


def test_nothing_is_lost_and_nothing_is_claimed_twice(tmp_path, django_db_blocker):
    environment = {
        "HETEROOPT_DATA_DIR": str(tmp_path),
        "HETEROOPT_DATABASE_URL": f"sqlite:///{tmp_path / 'heteroopt.sqlite3'}",
        "HETEROOPT_BROKER_URL": "filesystem://",
    }
    set_up(environment)
    with django_db_blocker.unblock(), in_this_process(environment):
        counter = Job.objects.create(kind="counter", team=team(), queue="none", progress={"value": 0}, state="running")
        Job.objects.bulk_create(Job(kind="contended", team=team(), queue="none") for _ in range(JOBS))
        processes = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.workers.contender", str(TIMES)],
                cwd=settings.BASE_DIR,
                env=Backend("contention", environment).environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(PROCESSES)
        ]
        claimed = [int(process.communicate(timeout=60)[0]) for process in processes]
        assert [process.returncode for process in processes] == [0] * PROCESSES
        counter.refresh_from_db()
        assert counter.progress == {"value": PROCESSES * TIMES}
        assert sum(claimed) == JOBS
        assert set(Job.objects.filter(kind="contended").values_list("attempt", "fencing_token")) == {(1, 1)}
