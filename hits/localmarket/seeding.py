"""Who works here at first? A dozen invented workers with records of all kinds, and the requester's money."""

from django.conf import settings
from django.db import transaction

from hits.localmarket import books, clock
from hits.localmarket.models import Market, Worker

FIELDS = (
    "worker_id", "name", "country", "subdivision", "approved_before", "rejected_before", "is_master", "is_adult",
)  # fmt: skip
WORKERS = [
    ("A1AMBERFALCON0", "Amber", "US", "CA", 5000, 50, True, True),
    ("A1BASILHERON00", "Basil", "US", "NY", 2100, 43, False, True),
    ("A1CORALLYNX000", "Coral", "US", "TX", 640, 20, False, False),
    ("A1DELTAOTTER00", "Dale", "US", "WA", 120, 30, False, False),
    ("A1EMBERROBIN00", "Ember", "US", "", 0, 0, False, False),
    ("A2FERNBISON000", "Fern", "CA", "", 3200, 0, True, True),
    ("A2GALEMARTEN00", "Gale", "CA", "", 510, 26, False, False),
    ("A3HAZELJAGUAR0", "Hazel", "MX", "", 1500, 47, False, True),
    ("A3INDIGOGECKO0", "Indigo", "MX", "", 12, 1, False, False),
    ("A4JADEBADGER00", "Jade", "GB", "", 980, 20, False, True),
    ("A5KITEPANGOLIN", "Kite", "IN", "", 4100, 170, True, False),
    ("A5LARKMONGOOSE", "Lark", "IN", "", 260, 52, False, False),
]  # fmt: skip


@transaction.atomic
def seed() -> None:
    """Make what an empty market begins with; do nothing where there are workers."""
    market = Market.get()
    clock.set_offset(market.clock_offset)
    if Worker.objects.exists():
        return
    Worker.objects.bulk_create(Worker(**dict(zip(FIELDS, row, strict=True))) for row in WORKERS)
    books.set_balance(int(settings.OPENING_BALANCE * 100), clock.now())
