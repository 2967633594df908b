"""Which settings does the local marketplace run with? The only module of it that reads the environment.

With nothing set it listens on 127.0.0.1:8010 and keeps its database in ``var/localmarket``. All names begin with
``LOCALMARKET_``; each may also be given as ``<NAME>_FILE``, the path of a file that holds the value.
"""

import os
import secrets
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from environs import EnvError, FileAwareEnv

# Django's generic classes take type arguments only so: ForeignKey[Hit, Hit].
django_stubs_ext.monkeypatch()

PREFIX = "LOCALMARKET_"
BASE_DIR = Path(__file__).resolve().parent


def _secret_key(folder: Path) -> str:
    """Return the key made on the first start, readable by its owner only."""
    path = folder / "secret_key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text()
    with os.fdopen(handle, "w") as file:
        file.write(key := secrets.token_urlsafe(50))
    return key


def _access_keys(pairs: list[str]) -> dict[str, str]:
    """Return the secret of each access key from ``KEY:secret`` or ``KEY``; an empty secret is not checked."""
    keys = {}
    for pair in pairs:
        key, _, secret = pair.partition(":")
        keys[key.strip()] = secret.strip()
    return keys


def _value(kind: str, name: str, default: Any) -> Any:
    """Read one variable, or stop the start with a sentence that names it; an empty value means "not set"."""
    if os.environ.get(PREFIX + name) == "":
        del os.environ[PREFIX + name]
    try:
        return getattr(env, kind)(PREFIX + name, default)
    except (EnvError, ValueError) as error:
        raise ImproperlyConfigured(f"{PREFIX}{name}: {error}") from None


env = FileAwareEnv()

HOST = _value("str", "HOST", "127.0.0.1")
PORT = _value("int", "PORT", 8010)
PUBLIC_URL = _value("str", "PUBLIC_URL", "").rstrip("/") or f"http://localhost:{PORT}"
"""The worker site's address. ``localhost``, so that a task served from 127.0.0.1 is cross-site in its frame."""
if urlsplit(PUBLIC_URL).scheme not in ("http", "https"):
    raise ImproperlyConfigured(f"{PREFIX}PUBLIC_URL: {PUBLIC_URL!r} does not start with http:// or https://.")

VAR_DIR = Path(_value("str", "VAR_DIR", str(BASE_DIR.parent.parent / "var" / "localmarket")))
VAR_DIR.mkdir(parents=True, exist_ok=True)
SECRET_KEY = _value("str", "SECRET_KEY", None) or _secret_key(VAR_DIR)

ACCESS_KEYS: dict[str, str] = _access_keys(_value("list", "ACCESS_KEYS", []))
"""Secrets by access key. With none configured any key is taken, but a request without a signature is not."""

try:
    OPENING_BALANCE = Decimal(_value("str", "BALANCE", "10000.00"))
except InvalidOperation:
    raise ImproperlyConfigured(f"{PREFIX}BALANCE: no amount of dollars. Example: 250.00") from None

DEBUG = False
ALLOWED_HOSTS = _value("list", "ALLOWED_HOSTS", None) or list(
    {"localhost", "127.0.0.1", "[::1]", HOST, urlsplit(PUBLIC_URL).hostname or "localhost"}
)
if HOST in ("0.0.0.0", "::"):  # noqa: S104 - whoever starts it asked for it
    ALLOWED_HOSTS = ["*"]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]

INSTALLED_APPS = ["django.contrib.messages", "django.contrib.staticfiles", "csp", "hits.localmarket"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
ROOT_URLCONF = "hits.localmarket.urls"
ASGI_APPLICATION = "hits.localmarket.asgi.application"
APPEND_SLASH = False
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {"market": "hits.localmarket.worker.filters"},
        },
    },
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": VAR_DIR / "localmarket.sqlite3",
        "OPTIONS": {
            "timeout": 20,
            # A deferred transaction that turns into a writer fails at once when another writes; an immediate one waits.
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
DATA_UPLOAD_MAX_MEMORY_SIZE = 5_000_000

LANGUAGE_CODE = "en-us"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

CSRF_COOKIE_NAME = "localmarket_csrf"
WORKER_COOKIE = "localmarket_worker"
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = None
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "frame-src": [SELF, "http:", "https:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

LOG_LEVEL = _value("str", "LOG_LEVEL", "INFO").upper()
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "httpx": {"level": "WARNING"},
        # Whoever asks under a name that is not ours gets a 400; a stack of it says no more.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
    },
}
