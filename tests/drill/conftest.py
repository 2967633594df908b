"""What the drills share: one cluster for all of them. Each leaves it as it found it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import services
from tests.drill import cluster as clusters
from tests.drill.cluster import Cluster
from tests.product import Product

FOLDER = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have the ordinary run leave out what takes long."""
    for item in items:
        if item.path.parent == FOLDER and not item.get_closest_marker("quick"):
            item.add_marker("long_drill")


@pytest.fixture(scope="session")
def the_cluster(prepared_product: Product) -> Iterator[Cluster]:
    """Two web processes on PostgreSQL and Redis of their own, behind nginx, running."""
    made = clusters.start(services.temporary_folder() / "cluster", prepared_product)
    yield made
    clusters.stop(made)


@pytest.fixture
def cluster(the_cluster: Cluster) -> Iterator[Cluster]:
    """The cluster, whole again after a test that failed half-way."""
    yield the_cluster
    for server in (the_cluster.postgres, the_cluster.redis, the_cluster.nginx):
        if server.process is None or server.process.poll() is not None:
            server.start()
    for web in the_cluster.webs:
        if web.process is None or web.process.poll() is not None:
            web.start()
