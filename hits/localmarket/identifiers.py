"""What do the market's ids look like? Thirty capitals and digits, as the real ones; a worker's begins with an A."""

import secrets

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def new_id(first: str = "3", length: int = 30) -> str:
    """Return a new id that nobody can guess."""
    return first + "".join(secrets.choice(_ALPHABET) for _ in range(length - len(first)))
