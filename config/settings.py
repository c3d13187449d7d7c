"""All settings of the web process and the workers, from the environment (docs/operations.md lists every variable)."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config import broker, env
from config.database import database

# Every variable is described in docs/operations.md.
VARIABLES = frozenset(
    {
        "HETEROOPT_ALLOWED_HOSTS",
        "HETEROOPT_BROKER_URL",
        "HETEROOPT_DATABASE_URL",
        "HETEROOPT_DATA_DIR",
        "HETEROOPT_DEBUG",
        "HETEROOPT_DEVICES",
        "HETEROOPT_HOST",
        "HETEROOPT_HOST_NAME",
        "HETEROOPT_LEASE_SECONDS",
        "HETEROOPT_LOG_LEVEL",
        "HETEROOPT_MAX_EXPORT_BYTES",
        "HETEROOPT_MAX_UPLOAD_BYTES",
        "HETEROOPT_PUBLIC_URL",
        "HETEROOPT_QUEUES",
        "HETEROOPT_REAP_SECONDS",
        "HETEROOPT_RENEW_SECONDS",
        "HETEROOPT_RUNNERS",
        "HETEROOPT_RUNTIMES_DIR",
        "HETEROOPT_SANDBOX_MEMORY_BYTES",
        "HETEROOPT_SANDBOX_SECONDS",
        "HETEROOPT_SECRET_KEY",
        "HETEROOPT_TEAM_STORAGE_BYTES",
        "HETEROOPT_UPLOAD_HOURS",
        "HETEROOPT_WORKERS",
    }
)
env.known_names(VARIABLES)

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.data_dir(BASE_DIR)
MEDIA_ROOT = DATA_DIR / "files"
TEMPORARY_DIR = DATA_DIR / "tmp"
for _folder in (MEDIA_ROOT, TEMPORARY_DIR):
    _folder.mkdir(exist_ok=True, mode=0o700)

DEBUG = env.flag("HETEROOPT_DEBUG", False)
SECRET_KEY = env.secret("HETEROOPT_SECRET_KEY") or env.kept_secret(DATA_DIR / "secret-key")
if len(SECRET_KEY) < 32:
    raise ImproperlyConfigured("HETEROOPT_SECRET_KEY is shorter than 32 characters.")

# Where it is served
HOST = env.text("HETEROOPT_HOST", "127.0.0.1")
PORT = env.integer("PORT", 8000, 0, 65535)
ADDRESS_FILE = DATA_DIR / "address"
"""Where the server that runs on this data folder writes its public URL."""
PUBLIC_URL = env.url("HETEROOPT_PUBLIC_URL", f"http://127.0.0.1:{PORT}", ("http", "https")).rstrip("/")
_public = urlsplit(PUBLIC_URL)
if not _public.hostname:
    raise ImproperlyConfigured("HETEROOPT_PUBLIC_URL names no host. Example: https://plans.example.org")
# Loopback names are answered always: health checks use them.
ALLOWED_HOSTS = [*(env.words("HETEROOPT_ALLOWED_HOSTS") or [_public.hostname]), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"]
_https = _public.scheme == "https"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SECURE_HSTS_SECONDS = 31_536_000 if _https else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _https else None
SESSION_COOKIE_NAME = "heteroopt_session"
CSRF_COOKIE_NAME = "heteroopt_csrf"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 30 * 24 * 3600
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "apps.accounts",
    "apps.audit",
    "apps.jobs",
    "apps.hosts",
    "apps.modelhub",
    "apps.calibrations",
    "apps.pools",
    "apps.searches",
    "apps.training",
    "apps.reviews",
    "apps.deployments",
    "apps.web",
    "workers",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ContentSecurityPolicy",
    "config.static.StaticFiles",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
AUTH_USER_MODEL = "accounts.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

# Database: SQLite in the data folder, or PostgreSQL
_database_url = env.url(
    "HETEROOPT_DATABASE_URL",
    f"sqlite:///{DATA_DIR / 'heteroopt.sqlite3'}",
    ("sqlite", "postgres", "postgresql"),
)
DATABASES = {"default": database(_database_url)}

# Broker: files in the data folder, or Redis. It carries job ids only; apps.jobs holds the truth.
CELERY_BROKER_URL = env.url("HETEROOPT_BROKER_URL", "filesystem://", ("filesystem", "redis", "rediss"))
BROKER_DIR = DATA_DIR / "broker"
if CELERY_BROKER_URL.startswith("filesystem"):
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = broker.transport_options(BROKER_DIR)
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 2,
        "socket_timeout": 10,
        "socket_keepalive": True,
        # Without this a producer waits for a dead broker for ever.
        "max_retries": 1,
        "interval_start": 0,
    }
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "heteroopt"
# A broker that is down must not hold up the request that submits a job: the reaper rings again.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_TIMEZONE = "UTC"

# Jobs and workers
WORKERS = env.integer("HETEROOPT_WORKERS", 2, 0, 256)
QUEUES = env.words("HETEROOPT_QUEUES") or [CELERY_TASK_DEFAULT_QUEUE]
RUNNER_MODULES = env.words("HETEROOPT_RUNNERS") or ["workers.runners"]
HOST_RUNNER_MODULES = ["workers.host_runners"]
JOB_LEASE_SECONDS = env.seconds("HETEROOPT_LEASE_SECONDS", 15.0, 0.5, 3600.0)
JOB_RENEW_SECONDS = env.seconds("HETEROOPT_RENEW_SECONDS", JOB_LEASE_SECONDS / 3, 0.1, 1200.0)
JOB_REAP_SECONDS = env.seconds("HETEROOPT_REAP_SECONDS", JOB_LEASE_SECONDS / 3, 0.1, 1200.0)
if JOB_RENEW_SECONDS * 2 > JOB_LEASE_SECONDS:
    raise ImproperlyConfigured("HETEROOPT_RENEW_SECONDS must be at most half of HETEROOPT_LEASE_SECONDS.")
JOB_MAX_ATTEMPTS = 3
SANDBOX_MEMORY_BYTES = env.integer("HETEROOPT_SANDBOX_MEMORY_BYTES", 3 << 30, 256 << 20, 1 << 42)
SANDBOX_SECONDS = env.seconds("HETEROOPT_SANDBOX_SECONDS", 120.0, 1.0, 3600.0)

# Devices of this host: one process keeps them, and does the jobs of the queue ``host.<name>``
DEVICES = env.flag("HETEROOPT_DEVICES", True)
HOST_NAME = env.host_name("HETEROOPT_HOST_NAME")
HOST_QUEUE = f"host.{HOST_NAME}"
RUNTIMES_DIR = Path(env.text("HETEROOPT_RUNTIMES_DIR", str(DATA_DIR / "runtimes")))

# Uploads go to disk in pieces; config/asgi.py refuses a body above the limit while it arrives.
MAX_UPLOAD_BYTES = env.integer("HETEROOPT_MAX_UPLOAD_BYTES", 16 << 30, 1 << 10, 1 << 42)
MAX_EXPORT_BYTES = env.integer("HETEROOPT_MAX_EXPORT_BYTES", 4 << 30, 1 << 10, 1 << 42)
TEAM_STORAGE_BYTES = env.integer("HETEROOPT_TEAM_STORAGE_BYTES", 100 << 30, 1 << 10, 1 << 50)
UPLOAD_HOURS = env.integer("HETEROOPT_UPLOAD_HOURS", 24, 1, 24 * 365)
FILE_UPLOAD_HANDLERS = ["config.uploads.LimitedFileUploadHandler"]
FILE_UPLOAD_TEMP_DIR = str(TEMPORARY_DIR)
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 << 20

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
# Vite writes the content's hash into the name.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/web/assets/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "apps.accounts.authentication.TokenAuthentication",
        "apps.accounts.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["apps.accounts.permissions.TeamPermission"],
    "DEFAULT_RENDERER_CLASSES": ["config.rendering.StrictJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["config.parsing.JSONParser", "rest_framework.parsers.MultiPartParser"],
    "DEFAULT_PAGINATION_CLASS": "config.rendering.LimitOffset",
    "PAGE_SIZE": 50,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "config.errors.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "STRICT_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "HeteroOpt",
    "DESCRIPTION": "Plans where every operator of a deep-learning model runs on unlike hardware, and in which order.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "JobState": "apps.jobs.models.JobState",
        "ModelState": "apps.modelhub.models.ModelState",
        "ModelKind": "apps.modelhub.models.ModelKind",
        "SearchState": "apps.searches.serializers.STATES",
        "SearchOutcome": "apps.searches.serializers.OUTCOMES",
        "DeviceType": "heteroopt.devices.spec.DEVICE_TYPES",
        "HostDeviceState": "apps.hosts.models.STATES",
        "RunTrigger": "apps.hosts.models.Trigger",
        "PrecisionKind": "apps.hosts.models.PrecisionKind",
        "DeviceComparisonKind": "apps.hosts.run_serializers.DEVICE_COMPARISONS",
        "OperatorStatus": "apps.hosts.run_serializers.OPERATOR_STATUSES",
        "CalibrationSource": "apps.calibrations.models.Source",
        "IdleEnergy": "heteroopt.devices.pool.IDLE_ENERGY",
        "ReferenceKind": "apps.searches.front_serializers.REFERENCE_KINDS",
        "Direction": "apps.searches.front_serializers.DIRECTIONS",
        "ObjectiveNeeds": "apps.searches.front_serializers.NEEDS",
        "Normalise": "apps.searches.front_serializers.NORMALISED",
        "AlternativeCode": "apps.searches.front_serializers.ALTERNATIVE_CODES",
        "TeamRole": "apps.accounts.roles.Role",
        "TokenScope": "apps.accounts.models.ApiToken.Scope",
        "ReviewState": "apps.reviews.models.ReviewState",
        "ReviewStanding": "apps.reviews.models.STANDINGS",
        "Decision": "apps.reviews.models.Decision",
        "AnchorKind": "apps.reviews.models.AnchorKind",
        "DeliveryState": "apps.reviews.models.DeliveryState",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {
        "handlers": ["stderr"],
        "level": env.choice("HETEROOPT_LOG_LEVEL", "WARNING", ("DEBUG", "INFO", "WARNING", "ERROR")),
    },
    # It warns that filesystem:// names no host.
    "loggers": {"kombu.connection": {"level": "ERROR"}},
}
