"""What is left after failures? Logs, books and a restored backup, held against each other."""

import json
import re
from collections import Counter
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from collector.lib import sealed
from tests.drill.fleet import Fleet, until
from tests.product import Product, environment

AFTER = 10.0
"""Seconds after an outage in which a log may still speak of it."""
_SAME = ("id", "dialog_id", "position", "key", "text")
_ASSIGNMENT = re.compile(r'<input type="checkbox" name="assignment" value="(\d+)"')
_CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


def troubles(fleet: Fleet) -> tuple[Counter[str], list[str]]:
    """Return how many lines of the logs were errors or worse by outage, and the lines outside of all outages."""
    within: Counter[str] = Counter()
    others = []
    for line in fleet.deployment.logs().splitlines():
        if not line.startswith("{"):
            others.append(line)
            continue
        said = json.loads(line)
        if said["level"] not in ("ERROR", "CRITICAL"):
            continue
        at = datetime.fromisoformat(said["at"]).timestamp()
        during = [each.what for each in fleet.outages if each.began <= at <= each.ended + AFTER]
        if during:
            within[during[0]] += 1
        else:
            others.append(line)
    return within, others


def review(fleet: Fleet, number: int) -> None:
    """Approve everything on the desk's pages, as a researcher does: page by page, the number typed each time."""
    until(
        "all submissions are taken over", lambda: _count(fleet, "hits_assignment WHERE state <> 'seen'") == number, 120
    )
    (recruitment,) = fleet.ask("SELECT id FROM hits_recruitment")
    at = f"/desk/recruiting/{recruitment['id']}"
    with fleet.deployment.http() as http:
        http.headers["Referer"] = f"{fleet.deployment.url}/"
        form = {"username": "researcher", "password": fleet.password, "next": f"{at}/review/"}
        token = _CSRF.search(http.get("/admin/login/").text)
        assert token
        assert http.post("/admin/login/", data=form | {"csrfmiddlewaretoken": token[1]}).status_code == 302
        while chosen := _ASSIGNMENT.findall((page := http.get(f"{at}/review/")).text):
            token = _CSRF.search(page.text)
            assert token
            form = {"what": "approve", "count": str(len(chosen)), "csrfmiddlewaretoken": token[1]}
            answer = http.post(f"{at}/decide/", data={**form, "assignment": chosen})
            assert answer.status_code == 302, answer.text


def _count(fleet: Fleet, rows: str) -> int:
    (row,) = fleet.ask(f"SELECT count(*) AS number FROM {rows}")
    return int(row["number"])


def check_books(fleet: Fleet, dialogs: int) -> str:
    """Wait until all is paid; check that the ledger, the market's workers and the comparison agree to the cent."""
    until("all participations are settled", lambda: _count(fleet, "hits_settlement") == 2 * dialogs, 120)
    until("all is paid", lambda: _count(fleet, "hits_ledgerentry WHERE state <> 'paid'") == 0, 180)
    kinds = {row["kind"]: row["number"] for row in fleet.ask(_KINDS)}
    assert (kinds["reward"], kinds["share"], kinds["summary"]) == (2 * dialogs, 2 * dialogs, dialogs), kinds
    # The installation has the key of the tests, so what it sealed can be opened here.
    ours = {sealed.unseal(row["external_id"]): row["sum"] for row in fleet.ask(_OWED)}
    theirs = {
        row["worker_id"]: Decimal(row["rewards"]) + Decimal(row["bonuses"])
        for row in fleet.market.look("workers")
        if row["worker_id"].startswith("AFLEET")
    }
    assert ours == theirs
    said = fleet.deployment.run(["python", "manage.py", "reconcile_hits"], service="worker").stdout
    assert "The books agree" in said, said
    return f"${sum(ours.values())} owed to {len(ours)} workers, all of it paid once; the books agree"


_KINDS = "SELECT kind, count(*) AS number FROM hits_ledgerentry GROUP BY kind"
_OWED = (
    "SELECT w.external_id, sum(l.amount) FROM hits_ledgerentry l JOIN studies_worker w ON w.id = l.worker_id GROUP BY 1"
)


def check_backup(fleet: Fleet, folder: Path) -> str:
    """Restore a backup elsewhere; check that it is one moment, with all that was stored before it began."""
    taken = next(each for each in fleet.outages if each.what == "a backup is taken")
    place = fleet.deployment.folder / "restored"
    place.mkdir()
    postgres = fleet.deployment.postgres
    postgres.ask("CREATE DATABASE restored")
    url = postgres.url.rpartition("/")[0] + "/restored"
    product = Product(place, environment(place, DATABASE_URL=url, SECRET_KEY="k" * 50))
    product.manage("restore", str(folder))
    texts = f"SELECT {', '.join(_SAME)}, extract(epoch FROM stored_at) AS stored_at FROM chat_utterance ORDER BY id"
    live, there = ({row["id"]: row for row in postgres.ask(texts, url=each)} for each in (postgres.url, url))
    early = {pk for pk, row in live.items() if row["stored_at"] < taken.began}
    assert early, "nobody had written before the backup"
    assert early <= there.keys() < live.keys(), "a backup holds all that was stored before it, and nothing after it"
    assert all(live[pk] == row for pk, row in there.items())
    dialogs: dict[int, list[int]] = {}
    for row in there.values():
        dialogs.setdefault(row["dialog_id"], []).append(row["position"])
    broken = [pk for pk, positions in dialogs.items() if sorted(positions) != [*range(len(positions))]]
    assert not broken, f"dialogs with holes: {broken}"
    out = place / "raw.json"
    product.manage("export_avsd", "--format", "raw", "--out", str(out))
    return f"{len(there)} texts of {len(dialogs)} dialogs, {len(early)} of them stored before it began"
