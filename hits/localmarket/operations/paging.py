"""How do long lists come? In pages with a token; a full last page still carries one, and an empty page follows."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.core import signing
from django.db.models import Model, QuerySet

from hits.localmarket.operations.registry import Call
from hits.localmarket.refusals import Refusal

Row = TypeVar("Row", bound=Model)
DEFAULT_SIZE = 10
"""Assumed: the model names only the largest, 100."""


def page(
    call: Call, rows: QuerySet[Row], name: str, write: Callable[[Row], dict[str, Any]], *, newest_first: bool = False
) -> dict[str, Any]:
    """Return one page of the rows in the order they were made, or the newest first."""
    size = call.get("MaxResults", DEFAULT_SIZE)
    if last := _last_of(call):
        rows = rows.filter(pk__lt=last) if newest_first else rows.filter(pk__gt=last)
    found = list(rows.order_by("-pk" if newest_first else "pk")[:size])
    answer: dict[str, Any] = {"NumResults": len(found), name: [write(row) for row in found]}
    if len(found) == size:
        answer["NextToken"] = signing.dumps([call.operation, found[-1].pk], salt="page")
    return answer


def _last_of(call: Call) -> int | None:
    """Return the key after which the page begins."""
    token = call.get("NextToken")
    if token is None:
        return None
    try:
        operation, last = signing.loads(token, salt="page")
    except signing.BadSignature:
        operation, last = "", 0
    if operation != call.operation:
        raise Refusal("parameter", reason="NextToken is not one of this operation.")
    return int(last)
