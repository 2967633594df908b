"""Robots work within their bounds, by a plan that a seed repeats."""

import asyncio
import random
import subprocess
import sys

import pytest

from hits.localmarket import robots
from tests.localmarket.market import AMBER, BASE_DIR, BASIL, CORAL, hit_values

QUICK = robots.Plan(wait_seconds=(0, 0))


def run(market, number: int, **more) -> robots.Report:
    more = {"plan": QUICK, "patience_seconds": 0.5, **more}
    return asyncio.run(robots.run(market.url, [AMBER, BASIL, CORAL], number, **more))


def test_robots_do_what_is_there_and_stop(market, mturk):
    ids = [mturk.create_hit(**hit_values(Title="Seat"))["HIT"]["HITId"] for _ in range(6)]
    report = run(market, 20, plan=robots.Plan(1, 0, 0, 0, (0, 0)))
    assert report.acts == {"submit": 6}
    assert all(mturk.list_assignments_for_hit(HITId=each)["NumResults"] == 1 for each in ids)


def test_robots_stop_at_the_bound_and_hold_nothing_then(market, mturk):
    mturk.create_hit(**hit_values(MaxAssignments=9))
    for number in range(8):
        mturk.create_hit(**hit_values(Title=f"HIT {number}"))
    report = run(market, 4, plan=robots.Plan(1, 0, 0, 0, (0, 0)))
    assert report.acts.total() == 4
    assert [market.robot(each).get("me")["held"] for each in (AMBER, BASIL, CORAL)] == [0, 0, 0]


def test_a_second_submission_is_refused_and_an_abandoned_one_runs_out(market, mturk):
    hit_id = mturk.create_hit(**hit_values(MaxAssignments=2))["HIT"]["HITId"]
    report = run(market, 1, plan=robots.Plan(0, 1, 0, 0, (0, 0)))
    assert report.refusals["submitted_before"] == 1
    assert mturk.list_assignments_for_hit(HITId=hit_id)["NumResults"] == 1
    run(market, 1, plan=robots.Plan(0, 0, 0, 1, (0, 0)))
    assert mturk.get_hit(HITId=hit_id)["HIT"]["NumberOfAssignmentsPending"] == 1
    market.forward(601)
    assert mturk.get_hit(HITId=hit_id)["HIT"]["NumberOfAssignmentsPending"] == 0


def test_a_robot_whose_time_was_up_goes_on(market, mturk):
    for number in range(2):
        mturk.create_hit(**hit_values(Title=f"HIT {number}"))

    async def perform(task: robots.Task) -> robots.Answers:
        await asyncio.to_thread(market.forward, 601)
        return {"late": "1"}

    report = run(market, 2, plan=robots.Plan(1, 0, 0, 0, (0, 0)), perform=perform)
    assert report.refusals["not_held"] == 2


def test_a_seed_repeats_the_plan():
    def drawn(seed: str) -> list[tuple[str, float]]:
        dice = random.Random(seed)
        return [robots.Plan().draw(dice) for _ in range(50)]

    assert drawn("1:A") == drawn("1:A") != drawn("2:A")
    assert {act for act, _ in drawn("1:A")} == set(robots.ACTS)


def test_a_command_performs_the_task(market, mturk):
    hit_id = mturk.create_hit(**hit_values())["HIT"]["HITId"]
    script = "import json, os; print(json.dumps({'seen': os.environ['TASK_URL'], 'to': os.environ['TURK_SUBMIT_TO']}))"
    command = [
        sys.executable, "-m", "hits.localmarket.robots", "--market", market.url, "--worker", AMBER,
        "--assignments", "1", "--wait", "0", "--seed", "3", "--command", f'{sys.executable} -c "{script}"',
    ]  # fmt: skip
    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer = mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"][0]["Answer"]
    assert f"workerId={AMBER}" in answer
    assert f"<FreeText>{market.url}</FreeText>" in answer


def test_a_task_that_fails_is_given_back_and_the_run_goes_on(market, mturk):
    hit_id = mturk.create_hit(**hit_values(MaxAssignments=2))["HIT"]["HITId"]

    async def perform(task):
        if task.worker_id == AMBER:
            await other_has_one.wait()
            raise robots.TaskFailed("Nobody came.")
        other_has_one.set()
        return {"done": "yes"}

    other_has_one = asyncio.Event()
    plan = robots.Plan(1, 0, 0, 0, (0, 0))
    report = asyncio.run(robots.run(market.url, [AMBER, BASIL], 2, plan=plan, perform=perform, patience_seconds=1))
    assert report.acts == {"fail": 1, "submit": 1}
    (handed_in,) = mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assert handed_in["WorkerId"] == BASIL
    assert mturk.get_hit(HITId=hit_id)["HIT"]["NumberOfAssignmentsAvailable"] == 1


def test_there_are_bounds():
    with pytest.raises(ValueError, match="At most"):
        asyncio.run(robots.run("http://localhost:1", ["A1"] * 201, 1))


def test_robots_say_where_they_found_no_market():
    command = [sys.executable, "-m", "hits.localmarket.robots", "--market", "http://localhost:1", "--assignments", "1"]
    done = subprocess.run(command, cwd=BASE_DIR, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "No local marketplace answers at http://localhost:1. Start it, or name" in done.stderr
