"""The web process as it starts."""

import resource
from collections.abc import Iterator

import pytest

from collector import web


@pytest.fixture
def few_files() -> Iterator[int]:
    """A process that may open few files unless it asks; yields how many the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_web_process_asks_for_as_many_sockets_as_it_may_hold(few_files: int) -> None:
    web.ask_for_files()
    allowed = web.MOST_FILES if few_files == resource.RLIM_INFINITY else min(few_files, web.MOST_FILES)
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (allowed, few_files)
