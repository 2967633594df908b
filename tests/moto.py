"""An S3-compatible store for tests: moto's server, a process of its own, that keeps everything in memory."""

import sys
from pathlib import Path

import boto3
import httpx

from tests.services import Server, takes_connections


class Moto(Server):
    """A store with one bucket."""

    bucket = "media"

    @property
    def url(self) -> str:
        """Its address, as MEDIA_S3_ENDPOINT names it."""
        return f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        """Return the command line."""
        return [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", str(self.port)]

    def answers(self) -> bool:
        """Ask whether it listens."""
        return takes_connections(self.port)

    def empty(self) -> None:
        """Take everything away, and make the bucket."""
        httpx.post(f"{self.url}/moto-api/reset").raise_for_status()
        self.client().create_bucket(Bucket=self.bucket)

    def client(self) -> "boto3.client":
        """Return a client of its owner."""
        keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
        return boto3.client("s3", endpoint_url=self.url, region_name="us-east-1", **keys)

    def names(self) -> set[str]:
        """Return what is in the bucket."""
        return {each["Key"] for each in self.client().list_objects_v2(Bucket=self.bucket).get("Contents", [])}

    @property
    def env(self) -> dict[str, str]:
        """What an installation's environment says of it."""
        return {
            "MEDIA_STORAGE": "s3", "MEDIA_S3_BUCKET": self.bucket, "MEDIA_S3_ENDPOINT": self.url,
            "MEDIA_S3_ACCESS_KEY_ID": "key", "MEDIA_S3_SECRET_ACCESS_KEY": "secret",
        }  # fmt: skip


def start(folder: Path) -> Moto:
    """Start one."""
    store = Moto(folder / "moto")
    store.start()
    return store
