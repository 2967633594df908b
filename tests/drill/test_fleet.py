"""200 pairs come through a marketplace and talk while each part of the installation fails, is upgraded, is copied."""

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import services
from tests.drill import aftermath, fleet
from tests.drill.cluster import report
from tests.drill.crowd import Crowd
from tests.drill.fleet import Fleet
from tests.product import BASE_DIR, Product

pytestmark = [pytest.mark.timeout(900), pytest.mark.deployed]
PAIRS = 200
ARRIVE = 100.0
"""Seconds within which the workers arrive."""
THINK = 6.0
"""Seconds before a text, within 50 %: a dialog takes two minutes and more, so that nearly all are there at once."""


@pytest.fixture
def whole_fleet(prepared_product: Product, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    """Everything, running; this process trusts the proxy's certificate."""
    made = fleet.start(services.temporary_folder() / "fleet", prepared_product)
    assert made.deployment.proxy
    monkeypatch.setenv("SSL_CERT_FILE", made.deployment.proxy.authority)
    yield made
    made.stop()


def test_200_pairs_lose_nothing_and_are_paid_to_the_cent_whatever_fails(whole_fleet: Fleet) -> None:
    made, backups = whole_fleet, []
    began = time.monotonic()
    crowd = Crowd(
        made.deployment.postgres, "demo", url=made.deployment.url, market=made.market.url, scenes=made.scenes(),
        workers=made.make_workers(2 * PAIRS), think=THINK, arrive=ARRIVE,
    )  # fmt: skip
    made.launch(PAIRS)
    plan: dict[float, Callable[[], object]] = {
        25: lambda: made.kill_a_web_process(crowd.are_back),
        50: lambda: made.restart(made.deployment.redis),
        75: lambda: made.restart(made.deployment.postgres),
        105: made.upgrade,
        140: lambda: backups.append(made.back_up()),
    }
    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(lambda: asyncio.run(crowd.work()))
        for at, act in plan.items():
            while time.monotonic() - crowd.began < at and not working.done():
                time.sleep(0.2)
            act()
        working.result()
    talked = time.monotonic() - crowd.began
    assert made.versions() == [fleet.NEW_VERSION] * 2
    lines = [f"{PAIRS} pairs through the marketplace, at most {crowd.most} at once, in {talked:.0f} s: {crowd.check()}"]
    assert len(crowd.records) == crowd.submitted == 2 * PAIRS
    aftermath.review(made, 2 * PAIRS)
    lines.append(aftermath.check_books(made, PAIRS))
    lines.append(f"The backup, restored elsewhere: {aftermath.check_backup(made, *backups)}.")
    within, others = aftermath.troubles(made)
    start = time.time() - (time.monotonic() - crowd.began)
    lines += [f"{each.began - start:4.0f} to {each.ended - start:4.0f} s: {each.what}." for each in made.outages]
    lines.append(f"Errors in logs: {dict(within)}; others: {len(others)}. {time.monotonic() - began:.0f} s in all.")
    write_report(lines)
    assert not others, "\n".join(others[:20])
    assert "AFLEET" not in made.deployment.logs(), "a marketplace's id stands in a log"
    assert "Traceback" not in made.market.log
    assert "deadlock" not in (made.deployment.postgres.folder / "log").read_text()


def write_report(lines: list[str]) -> None:
    """Print the report, and keep it where results are."""
    results = BASE_DIR / "test-results"
    results.mkdir(exist_ok=True)
    (results / "fleet.txt").write_text("\n".join(lines) + "\n")
    report("\n    ".join(lines))
