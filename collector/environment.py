"""How is a variable of the environment read? What cannot be used stops the start with its name.

A value may stand in the environment, in ``.env``, or in a file that ``<NAME>_FILE`` names.
"""

import ipaddress
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from dotenv import dotenv_values
from environs import EnvError, FileAwareEnv

env = FileAwareEnv(strip_whitespace=True)  # an editor, and echo, end a file with a line end

NAMES = {
    "SECRET_KEY", "DEBUG", "HOST", "PORT", "ALLOWED_HOSTS", "PUBLIC_URL", "DATABASE_URL", "REDIS_URL", "VAR_DIR",
    "MEDIA_DIR", "TIME_ZONE", "LOG_LEVEL", "FRAME_ANCESTORS", "HASHED_STATIC", "PAGE_THREADS",
    "JOINS_PER_MINUTE", "LOCALMARKET_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "ALLOW_LIVE",
    "EVENTS_SECRET", "EXPORT_DAYS", "MARKETPLACE_TIMEOUT", "MARKETPLACE_RATES", "EMAIL_HOST", "EMAIL_PORT",
    "EMAIL_HOST_USER", "EMAIL_HOST_PASSWORD", "EMAIL_ENCRYPTION", "EMAIL_FROM", "LETTERS_TO", "ALARM_MAIL_TO",
    "ALARM_LIMITS", "METRICS_TOKEN", "WORKER_METRICS_PORT", "LOG_FORMAT", "SENTRY_DSN", "REQUIRE_TWO_FACTOR",
    "MARKETPLACE_ID_KEYS", "LEDGER_YEARS", "MEDIA_PREFIX", "MEDIA_STORAGE", "MEDIA_S3_BUCKET", "MEDIA_S3_ENDPOINT",
    "MEDIA_S3_REGION", "MEDIA_S3_ACCESS_KEY_ID", "MEDIA_S3_SECRET_ACCESS_KEY", "MEDIA_S3_PROXY",
    "MEDIA_S3_LINK_SECONDS",
}  # fmt: skip
"""Every variable the product knows; each may also be given as ``<NAME>_FILE``."""


def read_dotenv(path: Path) -> None:
    """Take over what ``.env`` sets and the environment does not; refuse names nobody reads."""
    values = dotenv_values(path)
    known = NAMES | {f"{name}_FILE" for name in NAMES}
    if unknown := sorted(set(values) - known):
        raise ImproperlyConfigured(
            f"{path}: unknown variable {', '.join(unknown)}. The known ones are listed in .env.example."
        )
    for name, value in values.items():
        if value:
            os.environ.setdefault(name, value)


def value(read: Callable[..., Any], name: str, default: Any) -> Any:
    """Read one variable, or stop the start with a sentence that names it."""
    if os.environ.get(name) == "":
        del os.environ[name]  # an empty value in a compose file means "not set"
    try:
        return read(name, default)
    except (EnvError, ValueError) as error:
        raise ImproperlyConfigured(f"{name}: {error}") from None


def secret_key(folder: Path) -> str:
    """Return the installation's key."""
    return _made_once(folder / "secret_key", lambda: secrets.token_urlsafe(50))


def marketplace_id_keys(folder: Path) -> list[str]:
    """Return the keys by which the ids of marketplaces are encrypted, one where none are named."""
    keys = value(env.list, "MARKETPLACE_ID_KEYS", None) or [
        _made_once(folder / "marketplace_id_key", lambda: Fernet.generate_key().decode())
    ]
    for number, key in enumerate(keys, 1):
        try:
            Fernet(key)
        except ValueError:
            raise ImproperlyConfigured(
                f"MARKETPLACE_ID_KEYS: key {number} is none. Make one: openssl rand -base64 32 | tr '+/' '-_'"
            ) from None
    return list(keys)


def _made_once(path: Path, make: Callable[[], str]) -> str:
    """Return a secret, made on the first start and kept readable by its owner only."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text()
    with os.fdopen(handle, "w") as file:
        key = make()
        file.write(key)
    return key


def hosts(host: str, public_url: str) -> list[str]:
    """Return the names under which pages may be asked for, given the address we bind."""
    names = ["localhost", "127.0.0.1", "[::1]", "testserver"]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - the researcher asked for it
        return ["*"]
    try:
        names.append(f"[{host}]" if ipaddress.ip_address(host).version == 6 else host)
    except ValueError:
        names.append(host)
    if public_url:
        names.append(urlsplit(public_url).hostname or "")
    return names


def bucket() -> dict[str, Any]:
    """Return the options of the storage in a bucket, by django-storages' names. Raises ImproperlyConfigured."""
    names = ("MEDIA_S3_BUCKET", "MEDIA_S3_ACCESS_KEY_ID", "MEDIA_S3_SECRET_ACCESS_KEY")
    said = {name: value(env.str, name, "") for name in names}
    if missing := [name for name, each in said.items() if not each]:
        raise ImproperlyConfigured(f"MEDIA_STORAGE=s3 needs {', '.join(missing)}, too.")
    endpoint = value(env.str, "MEDIA_S3_ENDPOINT", "").rstrip("/")
    if endpoint and urlsplit(endpoint).scheme not in ("http", "https"):
        raise ImproperlyConfigured(f"MEDIA_S3_ENDPOINT: {endpoint!r} does not start with http:// or https://.")
    return {
        "bucket_name": said["MEDIA_S3_BUCKET"],
        "access_key": said["MEDIA_S3_ACCESS_KEY_ID"],
        "secret_key": said["MEDIA_S3_SECRET_ACCESS_KEY"],
        "endpoint_url": endpoint or None,
        "region_name": value(env.str, "MEDIA_S3_REGION", "us-east-1"),
        "addressing_style": "path" if endpoint else "virtual",
        "signature_version": "s3v4",
    }


def origins(options: dict[str, Any]) -> list[str]:
    """Return the origins to which links into a bucket may lead."""
    if options["endpoint_url"]:
        return ["{0.scheme}://{0.netloc}".format(urlsplit(options["endpoint_url"]))]
    name, region = options["bucket_name"], options["region_name"]
    return [f"https://{name}.s3.amazonaws.com", f"https://{name}.s3.{region}.amazonaws.com"]
