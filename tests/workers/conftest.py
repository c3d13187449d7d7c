"""The two deployments that every job test runs on: SQLite with files, and PostgreSQL with Redis."""

import pytest

from tests.workers import backends, services


@pytest.fixture(scope="session")
def postgres_url():
    with services.postgres() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url():
    with services.redis() as url:
        yield url


@pytest.fixture(
    scope="module",
    params=["embedded", pytest.param("production", marks=pytest.mark.production)],
)
def backend(request, tmp_path_factory, django_db_blocker):
    """Real processes on a database and a broker of their own; the reaper runs, workers are started by the tests."""
    folder = tmp_path_factory.mktemp(request.param)
    environment = {"HETEROOPT_DATA_DIR": str(folder)}
    if request.param == "production":
        environment["HETEROOPT_DATABASE_URL"] = f"{request.getfixturevalue('postgres_url')}/postgres"
        environment["HETEROOPT_BROKER_URL"] = request.getfixturevalue("redis_url")
    else:
        environment["HETEROOPT_DATABASE_URL"] = f"sqlite:///{folder / 'heteroopt.sqlite3'}"
        environment["HETEROOPT_BROKER_URL"] = "filesystem://"
    backends.set_up(environment)
    backend = backends.Backend(request.param, environment)
    with django_db_blocker.unblock(), backends.in_this_process(environment):
        backend.start("reaper")
        try:
            yield backend
        finally:
            backend.close()
