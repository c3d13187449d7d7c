"""Settings from the environment: a wrong value is an error that names its variable."""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import env
from config.database import database


@pytest.mark.parametrize(
    ("name", "value", "read", "part"),
    [
        ("HETEROOPT_DEBUG", "perhaps", lambda: env.flag("HETEROOPT_DEBUG", False), "neither yes nor no"),
        ("PORT", "80a", lambda: env.integer("PORT", 1, 0, 65535), "not a whole number"),
        ("PORT", "65536", lambda: env.integer("PORT", 1, 0, 65535), "outside 0 to 65535"),
        ("T", "soon", lambda: env.seconds("T", 1, 0, 9), "not a number of seconds"),
        ("T", "nan", lambda: env.seconds("T", 1, 0, 9), "outside 0 to 9"),
        ("L", "LOUD", lambda: env.choice("L", "INFO", ("INFO", "ERROR")), "not one of INFO, ERROR"),
        ("HETEROOPT_DEBGU", "1", lambda: env.known_names(frozenset({"HETEROOPT_DATA_DIR"})), "not a setting"),
    ],
)
def test_wrong_values(monkeypatch, name, value, read, part):
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=part) as caught:
        read()
    assert name in str(caught.value)


def test_right_values(monkeypatch):
    monkeypatch.setenv("A", " Yes ")
    monkeypatch.setenv("B", "x, y,,z ")
    monkeypatch.setenv("C", "")
    assert env.flag("A", False) is True
    assert env.words("B") == ["x", "y", "z"]
    assert env.integer("C", 5, 0, 9) == 5


def test_a_url_error_does_not_repeat_the_password(monkeypatch):
    monkeypatch.setenv("U", "mysql://me:hunter2@db/x")
    with pytest.raises(ImproperlyConfigured) as caught:
        env.url("U", "", ("sqlite", "postgres"))
    assert "hunter2" not in str(caught.value)


def test_secrets_may_come_from_files(monkeypatch, tmp_path):
    (tmp_path / "secret").write_text("from a file\n")
    monkeypatch.setenv("S_FILE", str(tmp_path / "secret"))
    assert env.secret("S") == "from a file"
    monkeypatch.setenv("S", "too")
    with pytest.raises(ImproperlyConfigured, match="Both S and S_FILE"):
        env.secret("S")
    monkeypatch.delenv("S")
    monkeypatch.setenv("S_FILE", str(tmp_path / "gone"))
    with pytest.raises(ImproperlyConfigured, match="S_FILE="):
        env.secret("S")


def test_the_secret_key_is_made_once_for_its_owner_only(tmp_path):
    path = tmp_path / "secret-key"
    first = env.kept_secret(path)
    assert len(first) >= 48
    assert env.kept_secret(path) == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["secret-key"]


def read_settings(tmp_path, names, **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("HETEROOPT_")}
    return subprocess.run(
        [
            sys.executable,
            "-c",
            f"from config import settings as s; print([getattr(s, n) for n in {names!r}])",
        ],
        cwd=settings.BASE_DIR,
        env={**clean, "HETEROOPT_DATA_DIR": str(tmp_path), **environment},
        capture_output=True,
        text=True,
    )


def test_cookies_are_secure_behind_https(tmp_path):
    names = ["SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "CSRF_TRUSTED_ORIGINS", "ALLOWED_HOSTS"]
    plain = read_settings(tmp_path, names, PORT="8123")
    assert (
        plain.stdout == "[False, False, ['http://127.0.0.1:8123'], ['127.0.0.1', 'localhost', '127.0.0.1', '[::1]']]\n"
    )
    secure = read_settings(tmp_path, names, HETEROOPT_PUBLIC_URL="https://plans.example.org/")
    assert secure.stdout.startswith("[True, True, ['https://plans.example.org'],")


def test_health_checks_reach_the_server_whatever_hosts_are_answered(tmp_path):
    answer = read_settings(tmp_path, ["ALLOWED_HOSTS"], HETEROOPT_ALLOWED_HOSTS="plans.example.org")
    assert answer.stdout == "[['plans.example.org', 'localhost', '127.0.0.1', '[::1]']]\n"


def test_production_needs_variables_only(tmp_path):
    answer = read_settings(
        tmp_path,
        ["DATABASES", "CELERY_BROKER_URL"],
        HETEROOPT_DATABASE_URL="postgres://u:p@db:5433/name",
        HETEROOPT_BROKER_URL="redis://cache:6379/1",
    )
    assert "'django.db.backends.postgresql'" in answer.stdout
    assert "'CONN_HEALTH_CHECKS': True" in answer.stdout
    assert "'redis://cache:6379/1'" in answer.stdout


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HETEROOPT_SECRET_KEY", "short"),
        ("HETEROOPT_BROKER_URL", "amqp://x"),
        ("HETEROOPT_DATABASE_URL", "mysql://x/y"),
        ("HETEROOPT_PUBLIC_URL", "plans.example.org"),
        ("HETEROOPT_MAX_UPLOAD_BYTES", "2GB"),
        ("HETEROOPT_WORKERS", "-1"),
        ("HETEROOPT_RENEW_SECONDS", "14"),
        ("HETEROOPT_DATA_DIR", "/proc/nowhere"),
        ("HETEROOPT_COLOUR", "blue"),
    ],
)
def test_the_settings_refuse(tmp_path, name, value):
    answer = read_settings(tmp_path, [], **{name: value})
    assert answer.returncode == 1
    assert "ImproperlyConfigured" in answer.stderr
    assert name in answer.stderr.splitlines()[-1]


def test_sqlite_takes_its_write_lock_at_the_start(tmp_path):
    options = database(f"sqlite:///{tmp_path}/x.sqlite3")["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]
