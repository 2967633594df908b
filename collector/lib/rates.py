"""How often may somebody do something? Allowances that refill; what a process remembers of them is bounded."""

import time
from collections import OrderedDict
from collections.abc import Callable


class Allowance:
    """So many at once (``burst``), and so many a second in the long run (``rate``)."""

    __slots__ = ("_burst", "_last", "_left", "_rate")

    def __init__(self, burst: float, rate: float, now: float | None = None) -> None:
        self._burst, self._rate = burst, rate
        self._left, self._last = burst, time.monotonic() if now is None else now

    def take(self, now: float | None = None) -> bool:
        """Use one; False when none is left. ``now`` in seconds of a clock that never goes back."""
        now = time.monotonic() if now is None else now
        self._left = min(self._burst, self._left + (now - self._last) * self._rate)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Allowances:
    """One allowance a key. Of more than ``most`` keys those not seen for longest are forgotten: they start anew."""

    def __init__(
        self, burst: float, rate: float, most: int = 10_000, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst, self._rate, self._most, self._now = burst, rate, most, now
        self._by_key: OrderedDict[str, Allowance] = OrderedDict()

    def take(self, key: str) -> bool:
        """Use one of the key's; False when none is left."""
        now = self._now()
        allowance = self._by_key.get(key)
        if allowance is None:
            allowance = self._by_key[key] = Allowance(self._burst, self._rate, now)
            if len(self._by_key) > self._most:
                self._by_key.popitem(last=False)
        self._by_key.move_to_end(key)
        return allowance.take(now)

    def __len__(self) -> int:
        return len(self._by_key)
