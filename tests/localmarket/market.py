"""The local marketplace as a running process, and what requesters, workers and its control do there."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import httpx
import pytest
from botocore.client import BaseClient
from botocore.config import Config
from botocore.exceptions import ClientError

from tests import services

BASE_DIR = Path(__file__).resolve().parents[2]
AMBER, BASIL, CORAL, DALE, EMBER = (
    "A1AMBERFALCON0", "A1BASILHERON00", "A1CORALLYNX000", "A1DELTAOTTER00", "A1EMBERROBIN00",
)  # fmt: skip
FERN, HAZEL, JADE, KITE = "A2FERNBISON000", "A3HAZELJAGUAR0", "A4JADEBADGER00", "A5KITEPANGOLIN"
TASK = """<ExternalQuestion
  xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">
  <ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"""


def question(url: str = "http://127.0.0.1:9/task?x=1&amp;y=2") -> str:
    """Return an ExternalQuestion."""
    return TASK.format(url=url)


def hit_values(**more: Any) -> dict[str, Any]:
    """Return what CreateHIT needs; a value of None takes a member away."""
    values = {
        "Title": "Talk about a video", "Description": "Ask or answer.", "Keywords": "video, chat", "Reward": "1.00",
        "MaxAssignments": 1, "LifetimeInSeconds": 3600, "AssignmentDurationInSeconds": 600,
        "AutoApprovalDelayInSeconds": 86_400, "Question": question(),
    } | more  # fmt: skip
    return {name: value for name, value in values.items() if value is not None}


def client_of(url: str, *, attempts: int = 1, **more: Any) -> BaseClient:
    """Return a real boto3 client with another address, as the project's users make one."""
    more = {"aws_access_key_id": "LOCALKEY", "aws_secret_access_key": "local secret", **more}
    retries = {"mode": "standard", "total_max_attempts": attempts}
    config = Config(retries=retries, connect_timeout=5, read_timeout=30)
    return boto3.client("mturk", region_name="us-east-1", endpoint_url=url, config=config, **more)


class Robot:
    """One worker through the JSON API; a refusal raises with its reason."""

    def __init__(self, url: str, worker_id: str) -> None:
        self.http = httpx.Client(base_url=f"{url}/worker/api", timeout=30)
        token = self.post("sign-in", worker_id=worker_id)["token"]
        self.http.headers["Authorization"] = f"Bearer {token}"

    def post(self, name: str, **body: Any) -> Any:
        """Do something."""
        return self._checked(self.http.post(f"/{name}", json=body))

    def get(self, name: str) -> Any:
        """Look at something."""
        return self._checked(self.http.get(f"/{name}"))

    def accept(self, hit_id: str) -> str:
        """Accept a HIT and return the assignment's id."""
        return self.post("accept", hit_id=hit_id)["assignment_id"]

    def submit(self, assignment_id: str, **answers: str) -> None:
        """Hand in an assignment."""
        self.post("submit", assignment_id=assignment_id, answers=answers or {"seat": "1"})

    def do(self, hit_id: str, **answers: str) -> str:
        """Accept a HIT, hand it in, and return the assignment's id."""
        assignment_id = self.accept(hit_id)
        self.submit(assignment_id, **answers)
        return assignment_id

    @staticmethod
    def _checked(response: httpx.Response) -> Any:
        if response.status_code >= 400:
            raise Refused(response.json()["error"])
        return response.json()


class Refused(Exception):
    """The worker may not; the text is the reason."""


@dataclass
class LocalMarket:
    """The marketplace in a folder of its own."""

    var_dir: Path
    more: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=services.free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it is called."""
        return f"http://localhost:{self.port}"

    @property
    def log(self) -> str:
        """All that the process has written."""
        return (self.var_dir / "market.log").read_text()

    def start(self) -> None:
        """Start it and wait until it answers."""
        kept = {name: each for name, each in os.environ.items() if not name.startswith(("AWS_", "DJANGO_", "LOCALM"))}
        env = kept | {"LOCALMARKET_VAR_DIR": str(self.var_dir), **self.more}
        command = [sys.executable, "-m", "hits.localmarket", "--host", "127.0.0.1", "--port", str(self.port)]
        with open(self.var_dir / "market.log", "ab") as log:
            self.process = subprocess.Popen(command, cwd=BASE_DIR, env=env, stdout=log, stderr=log)
        for _ in range(300):
            with contextlib.suppress(httpx.TransportError):
                httpx.get(f"{self.url}/control/api/state", timeout=5)
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.stop()
        raise AssertionError(f"the market did not start:\n{self.log}")

    def stop(self) -> None:
        """Stop it as an operator would."""
        process, self.process = self.process, None
        if process:
            process.send_signal(signal.SIGTERM)
            process.wait(30)

    def client(self, **more: Any) -> BaseClient:
        """Return a requester's client."""
        return client_of(self.url, **more)

    def robot(self, worker_id: str = AMBER) -> Robot:
        """Return a worker."""
        return Robot(self.url, worker_id)

    def control(self, name: str, **values: Any) -> dict[str, Any]:
        """Do an action of the control API."""
        response = httpx.post(f"{self.url}/control/api/{name}", json=values, timeout=60)
        assert response.status_code == 200, response.text
        return response.json()

    def look(self, name: str) -> Any:
        """Read something from the control API."""
        return httpx.get(f"{self.url}/control/api/{name}", timeout=30).json()

    def forward(self, seconds: float) -> None:
        """Move the clock."""
        self.control("clock", seconds=seconds)

    def make_workers(self, number: int) -> list[Robot]:
        """Make more workers."""
        ids = [f"A9MADE{index:06}" for index in range(number)]
        for worker_id in ids:
            self.control("workers", worker_id=worker_id)
        return [self.robot(worker_id) for worker_id in ids]


@contextlib.contextmanager
def refused(code: str, text: str = ""):
    """Expect a refusal of the API: a TurkErrorCode without its prefix, or the type of an error that has none."""
    with pytest.raises(ClientError) as caught:
        yield caught
    response = caught.value.response
    found = response.get("TurkErrorCode", response["Error"]["Code"])
    assert found in (f"AWS.MechanicalTurk.{code}", code)
    assert text in (response.get("Message") or response["Error"]["Message"])
