"""More and more pairs through the proxy: the process of the simulated workers, told by lines when to go on.

``python -m tests.bench.ramp`` reads a Ramp as JSON from standard input. For each step it lets that many pairs more
arrive, prints ``begin`` when all are paired and have settled, measures, and prints a Step as JSON. Then it waits for a
line: ``more`` for the next step, ``finish`` to see all dialogs to their end; at the end of its input all leave at once.
"""

import asyncio
import gc
import sys
import time
from collections import Counter

import msgspec
import uvloop

from tests.bench.client import Plan, ProductWorker, Result, Seat, Wave


class Ramp(msgspec.Struct):
    """What to do; all times in seconds. ``sizes`` are the pairs that each step adds, ``tokens`` their workers'.

    For at most ``patience`` those who have arrived may wait for a partner, for at most ``longest`` all may finish.
    """

    port: int
    authority: str
    tokens: list[str]
    sizes: list[int]
    think: float
    arrive: float
    settle: float
    measure: float
    patience: float = 60.0
    longest: float = 300.0


class Step(msgspec.Struct):
    """What a step came to, all pairs counted that are there; times in milliseconds.

    ``unpaired`` are workers, ``complete`` the dialogs that have come to their end.
    """

    pairs: int
    unpaired: int
    relay: list[float]
    acks: list[float]
    pairing: list[float]
    failures: dict[str, int]
    complete: int = 0


async def _arrive(wave: Wave, workers: list[ProductWorker], seconds: float) -> None:
    began = time.perf_counter()
    tasks = []
    for index, worker in enumerate(workers):
        await asyncio.sleep(max(0.0, began + seconds * index / len(workers) - time.perf_counter()))
        tasks.append(asyncio.create_task(worker.open()))
    for done in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(done, BaseException):
            wave.failed(f"no connection: {type(done).__name__}")


async def _all(workers: list[ProductWorker], are: str, seconds: float) -> None:
    """Wait until all are so, but not for ever: what a step tells counts those who are not."""
    deadline = time.perf_counter() + seconds
    while not all(getattr(each, are) for each in workers) and time.perf_counter() < deadline:
        await asyncio.sleep(0.2)


def _step(wave: Wave, workers: list[ProductWorker], pairing: list[float]) -> Step:
    found = wave.result
    kinds = Counter(each.partition(":")[0] if "came" in each else each for each in found.failures)
    unpaired = sum(not each.is_paired for each in workers)
    complete = sum(each.is_done for each in workers) // 2
    return Step(len(workers) // 2, unpaired, found.relay, found.acks, pairing, kinds, complete)


async def run(ramp: Ramp) -> None:
    """Climb until told to stop."""
    wave = Wave(Plan([], ramp.think, authority=ramp.authority), Result(), len(ramp.tokens))
    wave.has_begun = True
    seats = iter(ramp.tokens)
    workers: list[ProductWorker] = []
    loop = asyncio.get_running_loop()
    word = "more"
    for size in ramp.sizes:
        wave.result = arriving = Result()
        fresh = [ProductWorker(wave, Seat(ramp.port, next(seats))) for _ in range(2 * size)]
        workers += fresh
        await _arrive(wave, fresh, ramp.arrive)
        await _all(workers, "is_paired", ramp.patience)
        await asyncio.sleep(ramp.settle)
        wave.result = Result(failures=arriving.failures)
        print("begin", flush=True)
        await asyncio.sleep(ramp.measure)
        print(msgspec.json.encode(_step(wave, workers, arriving.pairing)).decode(), flush=True)
        word = (await loop.run_in_executor(None, sys.stdin.readline)).strip()
        if word != "more":
            break
    if word == "finish":
        await _all(workers, "is_done", ramp.longest)
        print(msgspec.json.encode(_step(wave, workers, [])).decode(), flush=True)
    for worker in workers:
        worker.is_done = True
        if worker.wire:
            worker.wire.leave()
    await asyncio.sleep(1)


def main() -> None:
    """Read what to do, and do it."""
    ramp = msgspec.json.decode(sys.stdin.readline(), type=Ramp)
    gc.disable()  # its own pauses would be measured as the server's
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(ramp))


if __name__ == "__main__":
    main()
