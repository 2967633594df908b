"""On which thread does the chat talk to the database? One of its own, with a lasting connection, not the pages'."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async
from django.db import connections

P = ParamSpec("P")
T = TypeVar("T")

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


def stop() -> None:
    """End the thread and close its connection."""
    global _executor
    if _executor is not None:
        _executor.submit(connections.close_all).result()
        _executor.shutdown()
        _executor = None
