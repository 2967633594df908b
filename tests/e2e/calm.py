"""Does a page stand still and keep quiet? Listens for layout shifts, errors in the console and requests that fail."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, Response

MOST_SHIFT = 0.1
"""Of the layout in one burst, without what follows an input (cumulative layout shift; up to this it is good)."""
_SHIFT = "layout shift "
_BY_AXE = "Applying inline style"
"""What the policy forbids axe to do to a page while it looks; what a page does itself has an address."""
_BY_US = "Blocked script execution"
"""What a sandbox without scripts forbids this listener's own script."""
# In another size of the window another layout is meant.
_TELL_SHIFTS = """
let resized = -Infinity;
addEventListener("resize", () => { resized = performance.now(); });
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput || Math.abs(entry.startTime - resized) < 500) continue;
    const moved = entry.sources.map(each => each.node && (each.node.id || each.node.className || each.node.nodeName));
    const shift = { value: entry.value, at: entry.startTime, moved: moved.filter(Boolean).join(", ") };
    console.debug("layout shift " + JSON.stringify({ ...shift, document: performance.timeOrigin }));
  }
}).observe({ type: "layout-shift", buffered: true });
"""
Shift = dict[str, Any]


@dataclass
class Heard:
    """What pages complained about, each with its address, and what moved on them."""

    complaints: list[tuple[str, str]] = field(default_factory=list)
    shifts: list[Shift] = field(default_factory=list)

    def listen(self, to: Page | BrowserContext) -> None:
        """Note from now on what a page, or every page of a browser's context, complains about."""
        to.on("console", self._console)
        to.on("requestfailed", self._failed)
        to.on("response", self._answered)
        if isinstance(to, Page):
            to.on("pageerror", lambda error: self.complaints.append((to.url, f"script: {error}")))
        else:
            to.on("weberror", lambda error: self.complaints.append((error.page.url, f"script: {error.error}")))  # type: ignore[union-attr]
        to.add_init_script(_TELL_SHIFTS)

    def _console(self, message: ConsoleMessage) -> None:
        if message.text.startswith(_SHIFT):
            self.shifts.append({**json.loads(message.text.removeprefix(_SHIFT)), "page": _name(message.page)})
            return
        address = message.location.get("url", "")
        if address == "about:srcdoc" and _BY_US in message.text:
            return
        if message.type == "error" and (address or _BY_AXE not in message.text):
            self.complaints.append((address, f"console: {message.text}"))

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # a page that was left, a film that was not loaded to its end
            self.complaints.append((request.url, f"request failed: {request.failure}"))

    def _answered(self, response: Response) -> None:
        if response.status >= 400:
            self.complaints.append((response.url, f"answered {response.status}"))

    def complained(self, excused: Iterable[str] = ()) -> list[str]:
        """Return in words what pages complained about but for what fits one of the patterns, and forget it."""
        said = [(f"{words} ({address})", address) for address, words in self.complaints]
        self.complaints.clear()
        found = [
            each
            for each, at in said
            if not any(re.search(pattern, each) or re.search(pattern, at) for pattern in excused)
        ]
        return list(dict.fromkeys(without_tokens(each) for each in found))

    def moved(self, excused: Iterable[str] = ()) -> list[str]:
        """Return in words which pages moved too much but for what fits one of the patterns, and forget what moved."""
        documents: dict[float, list[Shift]] = {}
        for shift in self.shifts:
            documents.setdefault(shift["document"], []).append(shift)
        self.shifts.clear()
        found = [_in_words(max(_bursts(each), key=_total)) for each in documents.values()]
        return [each for each in found if each and not any(re.search(pattern, each) for pattern in excused)]


def without_tokens(address: str) -> str:
    """Return an address as it may stand in a report: two runs differ in their tokens."""
    return re.sub(r"/w/[^/]+", "/w/…", address)


def _name(page: Page | None) -> str:
    return without_tokens(page.url) if page else ""


def _in_words(burst: list[Shift]) -> str:
    if (total := _total(burst)) <= MOST_SHIFT:
        return ""
    moved = "; ".join(f"{shift['value']:.2f} {shift['moved']}" for shift in burst)
    return f"the layout shifts by {total:.2f}: {moved} ({burst[0]['page']})"


def _bursts(shifts: list[Shift]) -> Iterator[list[Shift]]:
    """Yield what moved together, as browsers sum it up: less than a second between two, five seconds at most."""
    burst: list[Shift] = []
    for shift in shifts:
        if burst and (shift["at"] - burst[-1]["at"] >= 1000 or shift["at"] - burst[0]["at"] >= 5000):
            yield burst
            burst = []
        burst.append(shift)
    if burst:
        yield burst


def _total(burst: list[Shift]) -> float:
    return sum(float(shift["value"]) for shift in burst)
