"""Robots of the local marketplace hold a whole dialog in the task's frame, and submit it as people do."""

import json
import sqlite3
import subprocess
import sys

import pytest

from tests.localmarket.market import AMBER, FERN, client_of
from tests.product import BASE_DIR, Product

pytestmark = pytest.mark.timeout(300)


SEED = "6"
"""With it both robots submit, one of them twice."""


def test_robots_talk_in_the_frame_and_what_they_submit_is_known(whole_product: Product) -> None:
    product, market = whole_product, whole_product.env["LOCALMARKET_URL"]
    assert "2 HITs are open" in product.manage("launch_study", "demo", "--dialogs", "1").stdout
    command = [sys.executable, "-m", "hits.localmarket.robots", "--market", market, "--assignments", "2"]
    command += ["--worker", AMBER, "--worker", FERN, "--seed", SEED]
    command += ["--command", f"{sys.executable} manage.py simulate_task"]
    done = subprocess.run(command, cwd=BASE_DIR, env=product.env, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"acts": {"submit": 1, "submit_twice": 1}, "refusals": {"submitted_before": 1}}
    speaks = client_of(market)
    rows = [speaks.list_assignments_for_hit(HITId=each["HITId"])["Assignments"] for each in speaks.list_hits()["HITs"]]
    assert sorted(row["WorkerId"] for found in rows for row in found) == [AMBER, FERN]
    product.manage("sync_hits")
    with sqlite3.connect(product.var_dir / "collector.sqlite3") as database:
        rows = database.execute(
            "SELECT p.outcome, p.rounds_done FROM hits_assignment a"
            " JOIN studies_participation p ON p.id = a.participation_id WHERE a.state = 'submitted'"
        ).fetchall()
    assert rows == [("complete", 10), ("complete", 10)]


def test_without_a_task_it_says_so(product: Product) -> None:
    done = product.manage("simulate_task", check=False)
    assert done.returncode == 1
    assert "TASK_URL is not set" in done.stderr
