"""Count pages and posts, and give each an id that stands in its lines of the log and in its answer."""

import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from collector.lib import logs, meters

HEADER = "X-Request-ID"


class Requests:
    """Middleware; the first, so that it sees what all others answer."""

    sync_capable, async_capable = True, False

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, counted. The id is ours: what a browser sends as one is not believed."""
        began, name = time.perf_counter(), secrets.token_hex(6)
        logs.about(request=name)
        try:
            response = self.get_response(request)
        finally:
            logs.clear()
        meters.answering.observe(time.perf_counter() - began)
        meters.requests.labels(f"{response.status_code // 100}xx").inc()
        response[HEADER] = name
        return response
