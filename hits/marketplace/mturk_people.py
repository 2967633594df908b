"""People at Mechanical Turk: messages, blocks, and marks: qualifications by which offers are hidden or shown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from hits.marketplace.base import MarketplaceError
from hits.marketplace.mturk_client import Connected
from hits.marketplace.mturk_errors import code_of, told, without_ids

BATCH = 100
"""So many workers are written to in one call."""


class People(Connected):
    """The part of the adapter that is about workers rather than about their work."""

    def make_mark(self, name: str, description: str) -> str:
        """Return a qualification type's id. Searching by name lags behind, so the caller keeps the id."""
        with told("make a qualification type"):
            try:
                made = self._client.create_qualification_type(
                    Name=name, Description=description, QualificationTypeStatus="Active"
                )
                return str(made["QualificationType"]["QualificationTypeId"])
            except ClientError as error:
                if code_of(error) != "QualificationTypeAlreadyExists":
                    raise
            for page in self._client.get_paginator("list_qualification_types").paginate(
                MustBeRequestable=False, MustBeOwnedByCaller=True, Query=name
            ):
                for row in page["QualificationTypes"]:
                    if row["Name"] == name:
                        return str(row["QualificationTypeId"])
        raise MarketplaceError("lost_mark", f"The qualification {name!r} exists and is not listed yet.", is_final=False)

    def mark_name(self, mark_id: str) -> str:
        """Return a qualification type's name."""
        with told("show a qualification type"):
            found = self._client.get_qualification_type(QualificationTypeId=mark_id)
        return str(found["QualificationType"]["Name"])

    def exclude(self, mark_id: str, worker_id: str) -> None:
        """Give a worker a mark, without mail; giving it twice is fine."""
        with told("give a qualification"):
            self._client.associate_qualification_with_worker(
                QualificationTypeId=mark_id, WorkerId=worker_id, IntegerValue=1, SendNotification=False
            )

    def include(self, mark_id: str, worker_id: str) -> None:
        """Take a mark away; one that is not held is fine."""
        with told("take a qualification away"):
            try:
                self._client.disassociate_qualification_from_worker(QualificationTypeId=mark_id, WorkerId=worker_id)
            except ClientError as error:
                if code_of(error) not in ("QualificationDoesNotExist", "InvalidQualificationState"):
                    raise

    def marked(self, mark_id: str) -> Iterator[str]:
        """Yield all workers who hold a mark."""
        with told("list who holds a qualification"):
            pages = self._client.get_paginator("list_workers_with_qualification_type").paginate(
                QualificationTypeId=mark_id, Status="Granted", PaginationConfig={"PageSize": 100}
            )
            for page in pages:
                for row in page["Qualifications"]:
                    yield str(row["WorkerId"])

    def block(self, worker_id: str, reason: str) -> None:
        """Block a worker; blocking twice is fine."""
        with told("block a worker"):
            self._client.create_worker_block(WorkerId=worker_id, Reason=reason)

    def unblock(self, worker_id: str) -> None:
        """Let a worker back; it succeeds also where there was no block. They read no reason, so none is given."""
        with told("let a worker back"):
            self._client.delete_worker_block(WorkerId=worker_id)

    def notify(self, worker_ids: Sequence[str], subject: str, text: str) -> Iterator[tuple[str, str]]:
        """Write to workers whose work was approved or rejected before, a hundred in a call; each call is made once."""
        once = self._connect(attempts=1)
        for begin in range(0, len(worker_ids), BATCH):
            batch = list(worker_ids[begin : begin + BATCH])
            with told("write to workers"):
                said = once.notify_workers(Subject=subject, MessageText=text, WorkerIds=batch)
            failed = {row["WorkerId"]: _why(row) for row in said.get("NotifyWorkersFailureStatuses", [])}
            yield from ((worker_id, failed.get(worker_id, "")) for worker_id in batch)


def _why(failure: Mapping[str, Any]) -> str:
    return without_ids(f"{failure['NotifyWorkersFailureMessage']} [{failure['NotifyWorkersFailureCode']}]")
