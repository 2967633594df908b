"""How fast may a marketplace be asked? As many calls a second as ``MARKETPLACE_RATES`` says for its environment.

The calls of a process wait their turn here, tries that boto3 repeats by itself included, rather than be refused there.
It is counted in each process: the worker that handles HITs and payments, and the one for long work, which compares the
books at night. Beside each other they may ask twice as much; what is throttled then is tried again.
"""

import threading
import time

from django.conf import settings

from collector.lib.rates import Allowance

_now, _sleep = time.monotonic, time.sleep
_lock = threading.Lock()
_allowances: dict[tuple[str, float], Allowance] = {}


def wait(environment: str) -> None:
    """Return when this environment may be asked once more; a second's worth may be asked at once."""
    rate: float = settings.MARKETPLACE_RATES[environment]
    while not _take(environment, rate):
        _sleep(1 / rate)


def _take(environment: str, rate: float) -> bool:
    with _lock:
        now = _now()
        allowance = _allowances.setdefault((environment, rate), Allowance(max(1.0, rate), rate, now))
        return allowance.take(now)
