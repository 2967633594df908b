"""A collection that is backed up while people talk, and restored elsewhere, exports the same bytes."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import services
from tests.databases import fresh_database
from tests.product import Product, environment

pytestmark = [pytest.mark.timeout(600)]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def pair(
    request: pytest.FixtureRequest, tmp_path: Path, prepared_product: Product
) -> Iterator[tuple[Product, Product]]:
    """An installation with samples that runs, and an empty one on the same kind of database."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    if request.param == "sqlite":
        yield from _running(tmp_path, prepared_product, {}, {})
        return
    with fresh_database() as one, fresh_database() as other:
        yield from _running(tmp_path, prepared_product, {"DATABASE_URL": one}, {"DATABASE_URL": other})


def _running(
    folder: Path, like: Product, first: dict[str, str], second: dict[str, str]
) -> Iterator[tuple[Product, Product]]:
    key = {"SECRET_KEY": "k" * 50}
    old = Product(folder / "first", environment(folder / "first", **first, **key))
    new = Product(folder / "second", environment(folder / "second", **second, **key), port=services.free_port())
    old.prepare(like)
    try:
        old.start()
        yield old, new
    finally:
        old.stop()
        new.stop()


def talk(product: Product, pairs: int) -> None:
    """Hold dialogs."""
    product.manage("simulate_dialogs", "--pairs", str(pairs), "--seed", "1", "--url", product.url)


def exported(product: Product, folder: Path, form: str) -> bytes:
    """Return an export's bytes."""
    out = folder / f"{form}.out"
    product.manage("export_avsd", "--simulated", "--format", form, "--out", str(out))
    return out.read_bytes()


def test_a_restored_collection_exports_the_same_bytes(pair: tuple[Product, Product], tmp_path: Path) -> None:
    old, new = pair
    talk(old, 5)
    forms = ("dstc7", "dstc10", "raw")
    before = {form: exported(old, tmp_path, form) for form in forms}
    said = old.manage("backup", "--out", str(tmp_path / "backups")).stdout
    (folder,) = (tmp_path / "backups").iterdir()
    assert str(folder) in said
    assert folder.stat().st_mode & 0o077 == 0
    new.manage("restore", str(folder))
    assert {form: exported(new, tmp_path, form) for form in forms} == before
    new.manage("collectstatic", "--noinput", "--verbosity", "0")
    new.start()
    talk(new, 2)  # and it goes on


def test_a_backup_taken_while_people_talk_is_one_moment(pair: tuple[Product, Product], tmp_path: Path) -> None:
    old, new = pair
    talking = threading.Thread(target=talk, args=(old, 12))
    talking.start()
    while not json.loads(old.manage("shell", "-c", _TEXTS).stdout.splitlines()[-1]):
        pass
    old.manage("backup", "--out", str(tmp_path / "backups"))
    talking.join()
    (folder,) = (tmp_path / "backups").iterdir()
    new.manage("restore", str(folder))
    assert json.loads(new.manage("shell", "-c", _BROKEN).stdout.splitlines()[-1]) == []


_TEXTS = "from chat.models import Utterance; import json; print(json.dumps(Utterance.objects.count()))"
_BROKEN = """
import json
from django.db.models import Count, F, Max
from chat.models import Dialog
gaps = Dialog.objects.annotate(said=Count("utterances"), last=Max("utterances__position")).filter(said__gt=0)
print(json.dumps(list(gaps.exclude(last=F("said") - 1).values_list("pk", flat=True))))
"""


def test_nothing_is_overwritten_and_nothing_broken_is_restored(pair: tuple[Product, Product], tmp_path: Path) -> None:
    old, new = pair
    old.manage("backup", "--out", str(tmp_path / "backups"))
    (folder,) = (tmp_path / "backups").iterdir()
    refused = old.manage("restore", str(folder), check=False)
    assert refused.returncode
    assert "is not empty" in refused.stderr
    video = next(path for path in (folder / "media").rglob("*") if path.is_file())
    video.write_bytes(video.read_bytes()[:-1])
    refused = new.manage("restore", str(folder), check=False)
    assert refused.returncode
    assert "not whole" in refused.stderr
    assert not (new.var_dir / "media").exists() or not any((new.var_dir / "media").iterdir())
    refused = new.manage("restore", str(tmp_path), check=False)
    assert "is no backup" in refused.stderr
