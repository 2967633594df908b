"""How long does each page of the desk and each list of the admin take, and how often does it ask the database?

``python -m tests.bench.visiting`` runs inside an installation's environment and prints JSON: [name, seconds, queries,
the slowest query] for each page. A list is looked at with every choice of every filter, with a search, ordered by each
column, and far down.
"""

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")
django.setup()

from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from chat.models import Dialog  # noqa: E402
from collector.desk import standing  # noqa: E402
from collector.exports.pseudonyms import pair_key, worker_key  # noqa: E402
from tests.desk import walking  # noqa: E402

TIMES = 3
FAR = 900
"""The page far down: of a list of 100,000 it holds the oldest rows."""


def ways(client: Client, name: str, address: str) -> Iterator[tuple[str, str]]:
    """Yield each way to look at a list: its filters' choices, a search, its columns, far down."""
    its: Any = client.get(address).context_data["cl"]  # type: ignore[attr-defined]
    for spec in its.filter_specs:
        for choice in list(spec.choices(its))[1:12]:
            yield f"{name}, {spec.title}: {choice['display']}", address + choice["query_string"]
    if its.search_fields:
        yield f"{name}, search", f"{address}?q=H1000"
    for number in range(1, len(its.list_display)):
        yield f"{name}, by {its.list_display[number]}", f"{address}?o=-{number}"
    yield f"{name}, far down", f"{address}?p={FAR}"


def more(client: Client) -> Iterator[tuple[str, str]]:
    """Yield what is looked for: an exported line, somebody, a page far down."""
    dialog = Dialog.objects.order_by("-pk").select_related("study")[1000]
    yield "find: the pseudonym of a pair", f"/desk/find/?key={pair_key(dialog.study.collection_id, dialog.pk)}"
    worker = dialog.seats.all()[0].worker_id
    yield "find: the pseudonym of a worker", f"/desk/find/?key={worker_key(dialog.study.collection_id, worker)}"
    yield "find: a video", f"/desk/find/?key={dialog.video.image_id}"
    yield "find: nothing", f"/desk/find/?key={'0' * 40}"
    yield "review, far down", f"{dict(walking.pages())['review']}?page=100"


def visit(client: Client, address: str) -> tuple[float, int, str]:
    """Return the least seconds, the number of queries and the slowest, of a page as it is asked for the first time."""
    took = []
    for _ in range(TIMES):
        standing._owed.cache_clear()
        with CaptureQueriesContext(connection) as asked:
            began = time.perf_counter()
            answer = client.get(address)
            took.append(time.perf_counter() - began)
        assert answer.status_code in (200, 302, 405), f"{address}: {answer.status_code}"
    slowest = max(asked.captured_queries, key=lambda each: float(each["time"]), default={"time": "0", "sql": ""})
    return min(took), len(asked), f"{slowest['time']} s: {slowest['sql']}"


def main() -> None:
    """Visit every page whose name holds what the command line says; all without it."""
    client, wanted = Client(), sys.argv[1] if len(sys.argv) > 1 else ""
    client.force_login(walking.researcher())
    found = [*walking.pages(), *more(client)]
    for name, address in walking.lists():
        found += [(name, address), *(ways(client, name, address) if re.search(wanted, name) else ())]
    rows = []
    for name, address in found:
        if re.search(wanted, name):
            rows.append([name, *visit(client, address)])
            print(f"{rows[-1][1] * 1000:7.0f} ms {rows[-1][2]:4} queries  {name}", file=sys.stderr, flush=True)
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main()
