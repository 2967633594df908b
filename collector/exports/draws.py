"""What is drawn by chance, the same at each export and known to nobody else?

A draw depends on the seed, on what it is for, and on the installation's SECRET_KEY. Without the key, who knows the seed
and this code could compute where the shuffled options of a test file hold the answer.
"""

import random

from django.utils.crypto import salted_hmac


def draws(seed: int, *what: str | int) -> random.Random:
    """Return a generator of its own for ``what``."""
    name = " ".join(str(part) for part in (seed, *what))
    return random.Random(salted_hmac("collector.exports.draws", name, algorithm="sha256").hexdigest())
