"""On which thread does the chat talk to the database? One of its own, with a lasting connection, not the pages'."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, ParamSpec, TypeVar

from channels.db import database_sync_to_async
from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

_executor: ThreadPoolExecutor | None = None


def _the_executor() -> ThreadPoolExecutor:
    global _executor
    if _executor is None:
        _executor = ThreadPoolExecutor(1, thread_name_prefix="chat-database")
    return _executor


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a synchronous function on the chat's database thread; calls come one after the other."""
    run = database_sync_to_async(function, thread_sensitive=False, executor=_the_executor())
    result: T = await run(*args, **kwargs)
    return result


class Together(Generic[T, R]):
    """Calls that come while the thread is busy become one: a crowd costs a few queries, not a few a head.

    ``function`` takes a list and returns for each item, in order, its result or the exception it meets.
    """

    def __init__(self, function: Callable[[list[T]], Sequence[R | Exception]], most: int = 200) -> None:
        self._function, self._most = function, most
        self._waiting: list[tuple[T, asyncio.Future[R]]] = []
        self._task: asyncio.Task[None] | None = None

    async def __call__(self, item: T) -> R:
        """Return the result for one item."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        if self._task is None or self._task.done() or self._task.get_loop() is not loop:
            self._waiting = []
            self._task = loop.create_task(self._run())
        self._waiting.append((item, future))
        return await future

    async def _run(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            results: Sequence[R | Exception]
            try:
                results = await in_database(self._function, [item for item, _ in batch])
            except Exception as error:  # theirs, who wait for it
                results = [error for _ in batch]
            for (_, future), result in zip(batch, results, strict=True):
                if future.done():
                    continue
                if isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)


def stop() -> None:
    """End the thread and close its connection."""
    global _executor
    if _executor is not None:
        _executor.submit(connections.close_all).result()
        _executor.shutdown()
        _executor = None
