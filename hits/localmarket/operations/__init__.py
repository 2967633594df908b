"""Which function answers which operation? Importing this package fills the registry."""

from hits.localmarket.operations import (  # noqa: F401 - each registers its operations
    account,
    assignments,
    hit_types,
    hits,
    notifications,
    qualification_types,
    qualifications,
    workers,
)
from hits.localmarket.operations.registry import OPERATIONS, Call

__all__ = ["OPERATIONS", "Call"]
