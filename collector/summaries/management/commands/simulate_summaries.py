"""Let programs watch videos and sum them up through the running server, as pages would."""

from collector.summaries.simulating import SimulateAlone
from collector.summaries.simulation import Watcher


class Command(SimulateAlone):
    """Simulated watchers."""

    help = __doc__
    worker = Watcher
    units = "summaries"
