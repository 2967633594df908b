"""What an older release wrote is brought to this one, and back: each in ``releases``, kept by ``keep_release``."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.product import Product, environment

pytestmark = [pytest.mark.timeout(300)]
RELEASES = Path(__file__).resolve().parent / "releases"


def dump(database: Path) -> str:
    """Return all of a database as statements."""
    with closing(sqlite3.connect(database)) as opened:
        return "\n".join(opened.iterdump())


@pytest.fixture(params=sorted(path.name.removesuffix(".sql.gz") for path in RELEASES.glob("*.sql.gz")))
def release(request: pytest.FixtureRequest) -> str:
    """A release by its version."""
    return str(request.param)


def test_a_release_with_data_comes_to_this_one_and_back(release: str, tmp_path: Path) -> None:
    written = gzip.decompress((RELEASES / f"{release}.sql.gz").read_bytes()).decode()
    var_dir = tmp_path / "var"
    var_dir.mkdir()
    with closing(sqlite3.connect(var_dir / "collector.sqlite3")) as opened:
        opened.executescript(written)
    product = Product(var_dir, environment(var_dir, SECRET_KEY="k" * 50))
    assert product.manage("ready", "migrations", check=False).returncode, "there is something to migrate"
    product.manage("backup", "--out", str(tmp_path / "backups"))

    product.manage("migrate", "--verbosity", "0")
    product.manage("collectstatic", "--noinput", "--verbosity", "0")
    assert "good  migrations" in product.manage("ready", "migrations").stdout
    product.manage("export_avsd", "--format", "raw", "--out", str(tmp_path / "now.raw"))
    assert (tmp_path / "now.raw").read_bytes() == (RELEASES / f"{release}.raw").read_bytes()
    product.start()
    try:
        assert httpx.get(f"{product.url}/healthz").status_code == 200
        assert httpx.get(f"{product.url}/admin/login/").status_code == 200
        assert httpx.get(f"{product.url}/join/before/").status_code == 200, "the study takes workers in"
    finally:
        product.stop()

    (folder,) = (tmp_path / "backups").iterdir()
    assert dump(folder / "database") == written, "going back: the older release restores what it had"
