"""What all tests share: services by mark, Chromium, the running product.

A test names what it needs with ``@pytest.mark.postgres``, ``redis`` or ``browser`` (set by itself where a browser
fixture is used). Where that is missing the test is skipped with the reason; with ``CI=true`` it fails instead.

Browser tests run last. Playwright's synchronous interface keeps an event loop running in the main thread for the rest
of the session; an asynchronous test after it could not start its own, and Django would refuse synchronous queries
(which browser tests that look into the database are therefore allowed).
"""

import logging
import os
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import SyncToAsync
from django.db import connections

import collector.celery  # noqa: F401 - tasks that tests ask for go to its queue, from whichever thread
from chat import lifespan
from collector import environment as environment_of_settings
from collector.desk.addresses import own_addresses
from tests import machine, moto, services
from tests.databases import disconnect_all, fresh_database
from tests.product import Product, environment

logging.getLogger("httpx").setLevel(logging.WARNING)  # a line for each request would bury what a test says

NEEDS = ("postgres", "redis", "browser", "cluster", "deployed")
BROWSER_FIXTURES = {"page", "context", "browser", "new_context", "playwright", "browser_type", "launch_browser"}
NEEDED_BY = {"browser": BROWSER_FIXTURES, "postgres": {"product_postgres"}, "cluster": {"cluster"}}
"""Fixtures whose tests need a mark by themselves."""


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before xdist, which reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark what uses a browser, and let it run last; keep the tests of a file, and of the cluster, in one process."""
    for item in items:
        names = set(getattr(item, "fixturenames", []))
        for mark, fixtures in NEEDED_BY.items():
            if names & fixtures and not item.get_closest_marker(mark):
                item.add_marker(mark)
        kind = "browser" if item.get_closest_marker("browser") else "other"
        place = "the cluster" if item.get_closest_marker("cluster") else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(f"{place} {kind}"))
    yield  # pytest-django puts tests of the database first
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def _why_not(mark: str) -> str | None:
    if mark == "browser":
        return None if machine.chromium() else "Chromium is not installed (apt install chromium)"
    if mark in ("cluster", "deployed"):
        proxy = {"nginx": machine.nginx()} if mark == "cluster" else {}
        if mark == "deployed":
            proxy = {"caddy": machine.found("caddy"), "docker-compose": machine.found("docker-compose")}
        programs = {"postgresql": machine.postgres(), "redis-server": machine.redis()} | proxy
        lacking = " ".join(name for name, path in programs.items() if path is None)
        return f"not installed (apt install {lacking})" if lacking else None
    return services.reasons.get(mark)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, or fail in continuous integration, what lacks a service."""
    for mark in NEEDS:
        if item.get_closest_marker(mark) and (reason := _why_not(mark)):
            sentence = f"{item.name} needs {mark}: {reason}"
            if os.environ.get("CI", "").lower() in ("true", "1"):
                pytest.fail(sentence, pytrace=False)
            pytest.skip(sentence)
    if item.get_closest_marker("browser"):
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # until the end: only browser tests follow


def pytest_unconfigure() -> None:
    """Stop the services that this process started."""
    services.stop()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """End the threads of tests before the test database goes: their connections would keep it from being dropped.

    These are the chat's own and the one on which asgiref runs the queries of asynchronous tests. A browser test that
    asks the database does so on a connection that belongs to Playwright's loop, which only the server can end.
    """
    yield
    lifespan.stop_threads()
    SyncToAsync.single_thread_executor.submit(connections.close_all).result(30)
    if connections["default"].vendor == "postgresql":
        disconnect_all(connections["default"].settings_dict["NAME"])


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[moto.Moto]:
    """An S3-compatible store."""
    started = moto.start(tmp_path_factory.mktemp("store"))
    yield started
    started.stop()


@pytest.fixture
def bucket(store: moto.Moto, settings: Any, monkeypatch: pytest.MonkeyPatch) -> moto.Moto:
    """A store with an empty bucket, which videos and frames are kept in."""
    store.empty()
    for name, value in store.env.items():
        monkeypatch.setenv(name, value)
    settings.MEDIA_STORAGE, settings.MEDIA_S3_PROXY = "s3", True
    settings.STORAGES = settings.STORAGES | {
        "default": {"BACKEND": "collector.catalogue.bucket.Bucket", "OPTIONS": environment_of_settings.bucket()}
    }
    return store


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The path of the machine's Chromium or Chrome."""
    path = machine.chromium()
    if path is None:
        pytest.skip("Chromium is not installed (apt install chromium)")
    return path


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], chromium_path: str) -> dict[str, Any]:
    """Start the machine's own Chromium instead of one that Playwright would download."""
    return {**browser_type_launch_args, "executable_path": chromium_path, "args": machine.CHROMIUM_ARGS}


@pytest.fixture(scope="session")
def prepared_product(tmp_path_factory: pytest.TempPathFactory) -> Product:
    """The product on SQLite with samples and demo study, not running: the others take its samples over."""
    var_dir = tmp_path_factory.mktemp("prepared_product")
    product = Product(var_dir, environment(var_dir))
    product.prepare()
    return product


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory, prepared_product: Product) -> Iterator[Product]:
    """The product on SQLite with samples and demo study, running."""
    yield from running(Product(var_dir := tmp_path_factory.mktemp("product"), environment(var_dir)), prepared_product)


@pytest.fixture
def own_product(tmp_path_factory: pytest.TempPathFactory, prepared_product: Product) -> Iterator[Product]:
    """As ``product``, for one test that must find no trace of another."""
    yield from running(Product(var_dir := tmp_path_factory.mktemp("product"), environment(var_dir)), prepared_product)


@pytest.fixture
def whole_product(tmp_path_factory: pytest.TempPathFactory, prepared_product: Product) -> Iterator[Product]:
    """As ``own_product``, with all processes of `make run`: worker and local marketplace, too."""
    port = services.free_port()
    env = environment(var_dir := tmp_path_factory.mktemp("product"), PORT=str(port))
    yield from running(Product(var_dir, env, port=port, is_whole=True), prepared_product)


@pytest.fixture
def networked_product(tmp_path_factory: pytest.TempPathFactory, prepared_product: Product) -> Iterator[Product]:
    """As ``own_product``, on the machine's own address, as ``HOST=... make run`` starts it."""
    addresses = own_addresses()
    if not addresses:
        # No service that anybody forgot to install: this is no failure in continuous integration either.
        pytest.skip("this machine has no address but loopback")
    env = environment(var_dir := tmp_path_factory.mktemp("product"), HOST=addresses[0])
    yield from running(Product(var_dir, env, host=addresses[0]), prepared_product)


@pytest.fixture(scope="session")
def product_postgres(tmp_path_factory: pytest.TempPathFactory, prepared_product: Product) -> Iterator[Product]:
    """The product on a fresh PostgreSQL database, and on Redis where there is one, running."""
    var_dir = tmp_path_factory.mktemp("product_postgres")
    with fresh_database() as url:
        more = {"DATABASE_URL": url} | ({"REDIS_URL": services.redis_url()} if services.redis_url() else {})
        yield from running(Product(var_dir, environment(var_dir, **more)), prepared_product)


def running(product: Product, like: Product) -> Iterator[Product]:
    """Yield a product while it runs, with the samples of another."""
    product.prepare(like)
    try:
        product.start()
        yield product
    finally:
        product.stop()
