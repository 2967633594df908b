"""Videos and frames in S3-compatible storage, by django-storages: what it lacks for serving, and errors in sentences.

Loaded only where ``MEDIA_STORAGE=s3``, since boto3 takes memory. One client serves all threads; sessions do not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, cast

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files.base import File
from django.core.files.storage import default_storage
from storages.backends.s3 import S3Storage

_LIMITS = Config(
    connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3}, max_pool_connections=50
)


class BucketAway(OSError):
    """The bucket does not do what was asked; the text says why and what to look at."""


class Bucket(S3Storage):  # type: ignore[misc]  # without types
    """A bucket that raises FileNotFoundError for what is not there, and BucketAway for all else."""

    client_config: Any

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.client_config = self.client_config.merge(_LIMITS)

    @cached_property
    def client(self) -> Any:
        """Return the client, made once."""
        return self.connection.meta.client

    def size_of(self, name: str) -> int:
        """Return the bytes of an object. Raises FileNotFoundError."""
        with self._told(name):
            return int(self.client.head_object(Bucket=self.bucket_name, Key=name)["ContentLength"])

    def part(self, name: str, first: int, last: int) -> bytes:
        """Return the bytes from ``first`` to ``last``. Raises FileNotFoundError."""
        with self._told(name):
            found = self.client.get_object(Bucket=self.bucket_name, Key=name, Range=f"bytes={first}-{last}")
            return bytes(found["Body"].read())

    def link(self, name: str, content_type: str, method: str, seconds: int) -> str:
        """Return an address that gives this object, and nothing else, to anybody for some seconds."""
        shown = {"ResponseContentType": content_type, "ResponseCacheControl": "private"}
        return str(self.url(name, shown, seconds, method))

    def ask(self) -> None:
        """See whether the bucket is there and lets us in. Raises BucketAway."""
        with self._told(""):
            self.client.head_bucket(Bucket=self.bucket_name)

    def exists(self, name: str) -> bool:
        """Tell whether an object is there."""
        try:
            self.size_of(name)
        except FileNotFoundError:
            return False
        return True

    def delete(self, name: str) -> None:
        """Delete an object; one that is not there is no error."""
        with self._told(name):
            super().delete(name)

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        with self._told(name):
            found = super()._open(name, mode)
            found.open()  # loads all of it now, so that what fails, fails here
            return cast("File[bytes]", found)

    def _save(self, name: str, content: "File[bytes]") -> str:
        with self._told(name):
            return str(super()._save(name, content))

    def _lacks(self, name: str) -> str:
        return f"{name} is not in the bucket {self.bucket_name}."

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        try:
            yield
        except ClientError as error:
            code = str(error.response.get("Error", {}).get("Code", ""))
            if name and code in ("404", "NoSuchKey"):
                raise FileNotFoundError(self._lacks(name)) from None
            raise BucketAway(f"The bucket {self.bucket_name} {_why(code)}") from None
        except FileNotFoundError:
            raise FileNotFoundError(self._lacks(name)) from None
        except BucketAway:
            raise
        except (BotoCoreError, OSError) as error:
            raise BucketAway(
                f"The bucket {self.bucket_name} cannot be reached ({error.__class__.__name__}): "
                f"is MEDIA_S3_ENDPOINT right, and does its server run?"
            ) from None


def _why(code: str) -> str:
    if code in ("403", "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch"):
        return f"does not let us in ({code}): see MEDIA_S3_ACCESS_KEY_ID, its secret, and what they may do."
    if code in ("404", "NoSuchBucket"):
        return "is not there: make it, or correct MEDIA_S3_BUCKET."
    return f"refused with {code or 'no code'}: see the log of its server."


def bucket() -> Bucket:
    """Return the bucket that media are in."""
    return cast(Bucket, default_storage)
