"""Which settings does the product run with? It alone asks ``collector.environment``.

With nothing set it is the embedded default: SQLite in ``var/``, one process, no services. ``.env.example`` lists every
variable. A value that cannot be used stops the start with the variable's name; so does an unknown name in ``.env``.
"""

import functools
import hashlib
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import django_stubs_ext
from celery.schedules import crontab
from csp.constants import NONCE, NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from kombu.entity import Queue

from collector.environment import bucket, env, hosts, marketplace_id_keys, origins, read_dotenv, secret_key, value
from collector.lib.catalogues import PSEUDO

# Django's generic classes take type arguments only so: ModelAdmin[Study].
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "0.2.0"

read_dotenv(BASE_DIR / ".env")

DEBUG = value(env.bool, "DEBUG", False)
VAR_DIR = Path(value(env.str, "VAR_DIR", str(BASE_DIR / "var")))
VAR_DIR.mkdir(parents=True, exist_ok=True)
SECRET_KEY = value(env.str, "SECRET_KEY", None) or secret_key(VAR_DIR)
if len(SECRET_KEY) < 32:
    raise ImproperlyConfigured("SECRET_KEY: shorter than 32 characters. Give a longer random one.")
MARKETPLACE_ID_KEYS = marketplace_id_keys(VAR_DIR)
"""The first encrypts the ids that marketplaces give, all decrypt; see ``collector.lib.sealed``."""
LEDGER_YEARS = value(env.int, "LEDGER_YEARS", 10)
"""For how many years tax law wants to see what was paid."""
if not 1 <= LEDGER_YEARS <= 100:
    raise ImproperlyConfigured(f"LEDGER_YEARS: {LEDGER_YEARS} is not between 1 and 100.")
HOST = value(env.str, "HOST", "127.0.0.1")
PORT = value(env.int, "PORT", 8000)
if not 0 <= PORT <= 65535:
    raise ImproperlyConfigured(f"PORT: {PORT} is no port number (1 to 65535).")
PUBLIC_URL = value(env.str, "PUBLIC_URL", "").rstrip("/")
"""The address workers use, without a trailing slash; empty when it is simply where we listen."""
if PUBLIC_URL and urlsplit(PUBLIC_URL).scheme not in ("http", "https"):
    raise ImproperlyConfigured(f"PUBLIC_URL: {PUBLIC_URL!r} does not start with http:// or https://.")
ALLOWED_HOSTS = value(env.list, "ALLOWED_HOSTS", None) or hosts(HOST, PUBLIC_URL)
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL else []

INSTALLED_APPS = [
    "whitenoise.runserver_nostatic",
    "collector.desk.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "collector.accounts.apps.SigningInConfig",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "csp",
    "collector.catalogue",
    "collector.studies",
    "chat",
    "collector.summaries",
    "collector.relevance",
    "collector.learning",
    "hits",
    "collector.exports",
    "collector.analysis",
    "collector.quality",
    "collector.releases",
    "collector.privacy",
    "collector.operations",
    "collector.desk",
    "collector.accounts",  # the last: see its apps.py
]

MIDDLEWARE = [
    "collector.operations.requests.Requests",
    "django.middleware.security.SecurityMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 1  # hour
AXES_LOCKOUT_PARAMETERS = [["ip_address", "username"]]
AXES_VERBOSE = False
AXES_CLIENT_IP_CALLABLE = "collector.lib.networks.of_sign_in"
REQUIRE_TWO_FACTOR = value(env.bool, "REQUIRE_TWO_FACTOR", False)
"""Whether everybody with an account sets up a second factor; without it, whoever wants one."""
OTP_TOTP_ISSUER = f"Collector {urlsplit(PUBLIC_URL).hostname or ''}".strip()
"""What an authenticator app calls us."""

ROOT_URLCONF = "collector.urls"
ASGI_APPLICATION = "collector.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "collector" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "collector.accounts.roles.context",
            ],
        },
    },
]

DATABASES = {"default": value(env.dj_db_url, "DATABASE_URL", f"sqlite:///{VAR_DIR / 'collector.sqlite3'}")}
_database = DATABASES["default"]
# Page threads, the writer and the chat's thread are few and live as long as the process: see collector/asgi.py.
_database["CONN_MAX_AGE"] = None
_database["CONN_HEALTH_CHECKS"] = True
if _database["ENGINE"].endswith("sqlite3"):
    _database["OPTIONS"] = {
        "timeout": 20,
        # A deferred transaction that turns into a writer fails at once when another writes; an immediate one waits.
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    _database["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
elif _database["ENGINE"].endswith("postgresql"):
    _database["OPTIONS"] = _database.get("OPTIONS", {}) | {
        "options": "-c lock_timeout=3000 -c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000",
    }
else:
    raise ImproperlyConfigured("DATABASE_URL: only postgres:// and sqlite:// are supported.")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = value(env.str, "REDIS_URL", "")
if REDIS_URL and urlsplit(REDIS_URL).scheme not in ("redis", "rediss", "unix"):
    raise ImproperlyConfigured(f"REDIS_URL: {REDIS_URL!r} does not start with redis://.")
CHANNEL_LAYERS: dict[str, Any] = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "collector"},
    }
    if REDIS_URL
    else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
}

CELERY_BROKER_URL = REDIS_URL or "filesystem://localhost"
if not REDIS_URL:
    _queue = VAR_DIR / "queue"
    for _folder in ("messages", "control"):
        (_queue / _folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(_queue / "messages"),
        "data_folder_out": str(_queue / "messages"),
        "control_folder": str(_queue / "control"),
    }
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_BEAT_SCHEDULER = "collector.operations.pulses.Scheduler"
CELERY_TASK_QUEUES = [Queue("celery"), Queue("long")]  # type: ignore[no-untyped-call]
"""A worker without ``--queues`` takes from both."""
CELERY_TASK_ROUTES = {
    "collector.exports.tasks.*": "long",
    "collector.analysis.tasks.*": "long",
    "collector.quality.tasks.*": "long",
    "collector.desk.tasks.*": "long",
    "collector.privacy.tasks.*": "long",
    "hits.tasks.reconcile_books": "long",
}
"""What may take minutes has a queue of its own, so that a worker can be kept for what workers wait for."""
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "sign_of_life": {"task": "collector.operations.tasks.sign_of_life", "schedule": 15.0, "options": {"expires": 60}},
    "look_for_alarms": {
        "task": "collector.operations.tasks.look_for_alarms",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "settle": {"task": "hits.tasks.settle", "schedule": 30.0},
    "look_after_hits": {"task": "hits.tasks.look_after_hits", "schedule": 15.0},
    "look_after_the_ledger": {"task": "hits.tasks.look_after_the_ledger", "schedule": 60.0},
    "mail_letters": {"task": "hits.tasks.mail_letters", "schedule": 60.0},
    "take_in_new_videos": {"task": "collector.summaries.tasks.take_in_new_videos", "schedule": 60.0},
    "remove_old_exports": {"task": "collector.exports.tasks.remove_old_exports", "schedule": 3600.0},
    "remove_what_is_over": {
        "task": "collector.privacy.tasks.remove_what_is_over",
        "schedule": crontab(hour="4", minute="20"),
    },
    "reconcile_books": {"task": "hits.tasks.reconcile_books", "schedule": crontab(hour="3", minute="10")},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

PAGE_THREADS = value(env.int, "PAGE_THREADS", 4)
"""How many threads, each with one database connection, serve the pages of one process."""
if not 1 <= PAGE_THREADS <= 64:
    raise ImproperlyConfigured(f"PAGE_THREADS: {PAGE_THREADS} is not between 1 and 64.")

JOINS_PER_MINUTE = value(env.int, "JOINS_PER_MINUTE", 120)
"""How many workers may join from one network address within a minute, in each process."""
if JOINS_PER_MINUTE < 1:
    raise ImproperlyConfigured(f"JOINS_PER_MINUTE: {JOINS_PER_MINUTE} lets nobody in. Give 1 or more.")

LOCALMARKET_URL = value(env.str, "LOCALMARKET_URL", "http://localhost:8010").rstrip("/")
"""Where the local marketplace listens."""
AWS_ACCESS_KEY_ID = value(env.str, "AWS_ACCESS_KEY_ID", "")
AWS_SECRET_ACCESS_KEY = value(env.str, "AWS_SECRET_ACCESS_KEY", "")
ALLOW_LIVE = value(env.bool, "ALLOW_LIVE", False)
"""Whether HITs may be published where real people work for real money."""
MARKETPLACE_TIMEOUT = value(env.float, "MARKETPLACE_TIMEOUT", 20.0)
"""For how many seconds a marketplace's answer is waited for; then it counts as lost."""
if not 0 < MARKETPLACE_TIMEOUT <= 300:
    raise ImproperlyConfigured(f"MARKETPLACE_TIMEOUT: {MARKETPLACE_TIMEOUT} is not between 0 and 300 seconds.")
_rates = {"live": 10.0, "sandbox": 10.0, "local": 1000.0}
MARKETPLACE_RATES = _rates | value(functools.partial(env.dict, subcast_values=float), "MARKETPLACE_RATES", {})
"""How many calls a second are made to each environment."""
if MARKETPLACE_RATES.keys() != _rates.keys() or min(MARKETPLACE_RATES.values()) <= 0:
    raise ImproperlyConfigured("MARKETPLACE_RATES: give numbers above 0 as in live=10,sandbox=10,local=1000.")
EVENTS_SECRET = (
    value(env.str, "EVENTS_SECRET", "") or hashlib.sha256(f"collector.events:{SECRET_KEY}".encode()).hexdigest()[:40]
)
"""Stands in the address to which a marketplace posts its events; by default made from SECRET_KEY."""
if not re.fullmatch(r"[A-Za-z0-9_-]{20,}", EVENTS_SECRET):
    raise ImproperlyConfigured("EVENTS_SECRET: give 20 or more letters, digits, _ or -.")

LETTERS_TO = value(env.list, "LETTERS_TO", [])
"""Who gets what workers write by mail; where this or the server is not named, it stands in the admin only."""
ALARM_MAIL_TO = value(env.list, "ALARM_MAIL_TO", LETTERS_TO)
"""Who gets alarms by mail; by default who gets letters."""
_limits = {
    "unpaired_minutes": 3.0,  # two people who have waited beside each other for longer do not meet for a reason
    "unsettled_minutes": 5.0,  # what is owed is worked out every half minute
    "unattended_minutes": 2.0,  # a recruitment is looked after every quarter of a minute
    "sweep_seconds": 60.0,  # web processes sweep every two
    "disk_gib": 3.0,  # /readyz fails at 1
    "rate_minutes": 5.0, "errors_least": 5.0, "errors_percent": 2.0, "busy_least": 20.0, "busy_percent": 2.0,
    "calm_minutes": 10.0,  # an alarm is over when it has not been seen for so long
    "mail_minutes": 10.0,  # between two mails
    "again_hours": 24.0,
}  # fmt: skip
ALARM_LIMITS = _limits | value(functools.partial(env.dict, subcast_values=float), "ALARM_LIMITS", {})
"""From when on something is an alarm, and how often it is mailed."""
if ALARM_LIMITS.keys() != _limits.keys() or min(ALARM_LIMITS.values()) < 0:
    raise ImproperlyConfigured(f"ALARM_LIMITS: give numbers from 0 on as in disk_gib=5, of {', '.join(_limits)}.")
EMAIL_HOST = value(env.str, "EMAIL_HOST", "")
EMAIL_PORT = value(env.int, "EMAIL_PORT", 587)
EMAIL_HOST_USER = value(env.str, "EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = value(env.str, "EMAIL_HOST_PASSWORD", "")
EMAIL_TIMEOUT = 20
_encryption = value(env.str, "EMAIL_ENCRYPTION", "starttls")
if _encryption not in ("starttls", "tls", "none"):
    raise ImproperlyConfigured(f"EMAIL_ENCRYPTION: {_encryption!r} is none of starttls, tls, none.")
EMAIL_USE_TLS, EMAIL_USE_SSL = _encryption == "starttls", _encryption == "tls"
DEFAULT_FROM_EMAIL = value(env.str, "EMAIL_FROM", "") or (LETTERS_TO[0] if LETTERS_TO else "collector@localhost")
if not all("@" in each for each in [*LETTERS_TO, *ALARM_MAIL_TO, DEFAULT_FROM_EMAIL]):
    raise ImproperlyConfigured(
        "LETTERS_TO, ALARM_MAIL_TO, EMAIL_FROM: give addresses such as ada@example.org, several with commas."
    )

EXPORT_DAYS = value(env.int, "EXPORT_DAYS", 30)
"""For how many days a file made on the page of exports is kept."""
if EXPORT_DAYS < 1:
    raise ImproperlyConfigured(f"EXPORT_DAYS: {EXPORT_DAYS} keeps no file. Give 1 or more.")

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
HASHED_STATIC = value(env.bool, "HASHED_STATIC", not DEBUG)
"""Whether static files have their hash in the name (needs collectstatic) and are cached for ever."""
WHITENOISE_USE_FINDERS = not HASHED_STATIC
MEDIA_ROOT = Path(value(env.str, "MEDIA_DIR", str(VAR_DIR / "media")))
MEDIA_PREFIX = value(env.str, "MEDIA_PREFIX", "").rstrip("/")
"""Where the proxy finds the media folder by itself: it then sends the files that X-Accel-Redirect names."""
if MEDIA_PREFIX and not re.fullmatch(r"/[A-Za-z0-9_/-]+", MEDIA_PREFIX):
    raise ImproperlyConfigured(f"MEDIA_PREFIX: {MEDIA_PREFIX!r} is no path such as /media-behind.")
MEDIA_STORAGE = value(env.str, "MEDIA_STORAGE", "disk").lower()
"""Where videos and frames are: in MEDIA_ROOT, or in a bucket (s3). All else of MEDIA_ROOT stays there."""
if MEDIA_STORAGE not in ("disk", "s3"):
    raise ImproperlyConfigured(f"MEDIA_STORAGE: {MEDIA_STORAGE!r} is neither disk nor s3.")
_bucket = bucket() if MEDIA_STORAGE == "s3" else {}
MEDIA_S3_PROXY = value(env.bool, "MEDIA_S3_PROXY", True)
"""Whether we pass on what is in a bucket, or send browsers there by a link of a short life."""
MEDIA_S3_LINK_SECONDS = value(env.int, "MEDIA_S3_LINK_SECONDS", 600)
if not 1 <= MEDIA_S3_LINK_SECONDS <= 7 * 24 * 3600:
    raise ImproperlyConfigured(f"MEDIA_S3_LINK_SECONDS: {MEDIA_S3_LINK_SECONDS} is not between 1 and 604800.")
_linked = [] if MEDIA_S3_PROXY or not _bucket else origins(_bucket)
if PUBLIC_URL.startswith("https://") and any(each.startswith("http://") for each in _linked):
    raise ImproperlyConfigured("MEDIA_S3_ENDPOINT: browsers load nothing from http:// into pages of https://.")
STORAGES = {
    "default": {"BACKEND": "collector.catalogue.bucket.Bucket", "OPTIONS": _bucket}
    if _bucket
    else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if HASHED_STATIC
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Spanish")]
"""Those in which workers' pages are; staff pages are in the first. See docs/languages.md."""
if DEBUG:
    LANGUAGES.append((PSEUDO, "accented English, from right to left"))
LOCALE_PATHS = [VAR_DIR / "locale"]
"""Where translations are compiled to; their text files stand in ``collector/locale``."""
FORMAT_MODULE_PATH = "collector.formats"
TIME_ZONE = value(env.str, "TIME_ZONE", "UTC")
try:
    ZoneInfo(TIME_ZONE)
except (ZoneInfoNotFoundError, ValueError):
    raise ImproperlyConfigured(f"TIME_ZONE: {TIME_ZONE!r} is no time zone. Examples: UTC, Europe/Rome.") from None
USE_TZ = True
USE_I18N = True

_marketplaces = [LOCALMARKET_URL, "https://worker.mturk.com", "https://workersandbox.mturk.com"]
FRAME_ANCESTORS = [SELF, *_marketplaces, *value(env.list, "FRAME_ANCESTORS", [])]
"""Origins that may show worker pages in a frame: ours (the researcher's try-it page) and the marketplaces'."""
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
_https = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
if _https:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 30 * 24 * 3600
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # other names below ours are not ours to decide about
    "security.W021",  # nor is a browser's list that nobody gets off again
    "security.W008",  # the proxy redirects; a tunnel that does not say how it was reached would be sent round for ever
]
PERMISSIONS_POLICY: dict[str, list[str]] = {
    name: []
    for name in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
        "payment", "usb", "serial", "hid", "screen-wake-lock", "xr-spatial-tracking",
    )
}  # fmt: skip
"""What no page of ours asks a browser for, and no script that slipped into one is to get."""
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF],
        "img-src": [SELF, "data:", *_linked],
        "media-src": [SELF, *_linked],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

LOG_LEVEL = value(env.str, "LOG_LEVEL", "INFO").upper()
if LOG_LEVEL not in ("DEBUG", "INFO", "WARNING", "ERROR"):
    raise ImproperlyConfigured(f"LOG_LEVEL: {LOG_LEVEL!r} is none of DEBUG, INFO, WARNING, ERROR.")
LOG_FORMAT = value(env.str, "LOG_FORMAT", "line").lower()
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(f"LOG_FORMAT: {LOG_FORMAT!r} is none of line, json.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"redact": {"()": "collector.lib.tokens.Redact"}, "context": {"()": "collector.lib.logs.Context"}},
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"},
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "fmt": "%(levelname)s %(name)s %(message)s %(request)s %(study)s %(dialog)s %(seat)s",
            "timestamp": "at",
            "rename_fields": {"levelname": "level", "name": "logger"},
        },
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["redact", "context"]},
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": ["console"], "level": LOG_LEVEL, "propagate": False},
        "httpx": {"level": "WARNING"},  # it would write a line for each request of a simulated worker
    },
}

METRICS_TOKEN = value(env.str, "METRICS_TOKEN", "")
"""What Prometheus sends to read /metrics; without it they are off."""
if METRICS_TOKEN and len(METRICS_TOKEN) < 20:
    raise ImproperlyConfigured("METRICS_TOKEN: shorter than 20 characters. Give a longer random one.")
WORKER_METRICS_PORT = value(env.int, "WORKER_METRICS_PORT", 0)
"""Where a worker process shows its own counts; 0 for nowhere. Not guarded: let only Prometheus reach it."""
if not 0 <= WORKER_METRICS_PORT <= 65535:
    raise ImproperlyConfigured(f"WORKER_METRICS_PORT: {WORKER_METRICS_PORT} is no port number (1 to 65535).")
SENTRY_DSN = value(env.str, "SENTRY_DSN", "")
"""Where errors are sent to besides the log; without it nowhere."""
