"""What is an operation? A function from a call to the members of its answer, under the operation's name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class Call:
    """One request whose members fit the model, at one moment of the market's time."""

    operation: str
    members: Mapping[str, Any]
    now: datetime
    request_id: str

    def __getitem__(self, name: str) -> Any:
        return self.members[name]

    def get(self, name: str, default: Any = None) -> Any:
        """Return a member, or the default where it was not sent."""
        return self.members.get(name, default)


Operation = Callable[[Call], dict[str, Any]]
OPERATIONS: dict[str, Operation] = {}


def operation(name: str) -> Callable[[Operation], Operation]:
    """Register a function as an operation."""

    def register(function: Operation) -> Operation:
        OPERATIONS[name] = function
        return function

    return register
