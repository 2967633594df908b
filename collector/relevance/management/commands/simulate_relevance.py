"""Let programs watch videos and judge answers through the running server, as pages would."""

from collector.relevance.simulation import Judge
from collector.summaries.simulating import SimulateAlone


class Command(SimulateAlone):
    """Simulated judges."""

    help = __doc__
    worker = Judge
    units = "annotations"
