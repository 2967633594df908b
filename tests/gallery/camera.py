"""What does a page look like in each size and scheme, and what is wrong with it?"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, Response

from tests.e2e.access import barriers
from tests.e2e.workers import SIZES, size
from tests.product import Product

SCHEMES = ("light", "dark")
MOST_SHIFT = 0.1
"""Of the layout in one burst, without what follows an input (cumulative layout shift; up to this it is good)."""
_WATCH_SHIFTS = """
window.galleryShifts = [];
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const moved = entry.sources.map(each => each.node && (each.node.id || each.node.className || each.node.nodeName));
    window.galleryShifts.push({ value: entry.value, at: entry.startTime, moved: moved.filter(Boolean).join(", ") });
  }
}).observe({ type: "layout-shift", buffered: true });
"""
_BY_AXE = "Applying inline style"
"""What the policy forbids axe to do to a page while it looks; what a page does itself has an address."""
_TAKE_SHIFTS = "() => (window.galleryShifts || []).splice(0)"
_PICTURES_ARE_THERE = "() => [...document.images].every(each => each.complete || each.loading === 'lazy')"
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
_STICKS = "() => [...document.querySelectorAll('.review-bar')].some(each => each.checkVisibility())"
_HEIGHT = "document.documentElement.scrollHeight"


@dataclass
class State:
    """One page in one state: its pictures by size and scheme, and what was found."""

    page: str
    state: str
    pictures: dict[tuple[str, str], str] = field(default_factory=dict)
    """The files' names, by size and scheme."""
    findings: list[str] = field(default_factory=list)

    def found(self, text: str) -> None:
        """Note a finding, once."""
        if text not in self.findings:
            self.findings.append(text)


@dataclass
class Camera:
    """Opens pages of a product, listens to what they complain about, and takes them down."""

    browser: Browser
    product: Product
    folder: Path
    states: list[State] = field(default_factory=list)
    complaints: dict[Page, list[tuple[str, str]]] = field(default_factory=dict)
    """Of each open page: address and words."""
    excused: dict[Page, str] = field(default_factory=dict)
    """Of a page: a pattern of addresses whose trouble was brought about on purpose."""

    @contextmanager
    def pages(self, number: int = 1) -> Iterator[list[Page]]:
        """Give people pages of their own, and close them: who stays would be the next one's partner."""
        contexts = [self.browser.new_context(viewport=size("wide")) for _ in range(number)]  # type: ignore[arg-type]
        try:
            yield [self.listen(context.new_page()) for context in contexts]
        finally:
            for context in contexts:
                context.close()

    def listen(self, page: Page) -> Page:
        """Note from now on what the page complains about."""
        noted = self.complaints.setdefault(page, [])

        def heard(message: ConsoleMessage) -> None:
            address = message.location.get("url", "")
            if message.type == "error" and (address or _BY_AXE not in message.text):
                noted.append((address, f"console: {message.text}"))

        def failed(request: Request) -> None:
            if request.failure != "net::ERR_ABORTED":  # a page that was left, a film that was not loaded to its end
                noted.append((request.url, f"request failed: {request.failure}"))

        def answered(response: Response) -> None:
            if response.status >= 400:
                noted.append((response.url, f"answered {response.status}"))

        page.on("console", heard)
        page.on("pageerror", lambda error: noted.append((page.url, f"script: {error}")))
        page.on("requestfailed", failed)
        page.on("response", answered)
        page.add_init_script(_WATCH_SHIFTS)
        return page

    def visit(self, page: Page, address: str, name: str, state: str, *, status: int = 200) -> None:
        """Go to an address, take it down, and see whether it also stands still while it loads on a phone.

        An address that cannot be visited is a finding; those after it are visited all the same.
        """
        try:
            self._visit(page, address, name, state, status)
        except (AssertionError, Error) as error:
            self.broken(error, name, state)

    def _visit(self, page: Page, address: str, name: str, state: str, status: int) -> None:
        self.go(page, address, status=status)
        self.take(page, name, state)
        page.set_viewport_size(size("phone"))  # type: ignore[arg-type]
        page.reload()
        _wait_for_pictures(page)
        self._note_shifts(page, self.states[-1], "phone")
        page.set_viewport_size(size("wide"))  # type: ignore[arg-type]
        if status != 200:
            self.complaints[page].clear()

    def go(self, page: Page, address: str, *, status: int = 200) -> None:
        """Go to an address of the product that answers with a status."""
        full = address if "://" in address else f"{self.product.url}{address}"
        answer = page.goto(full)
        assert answer is not None
        assert answer.status == status, f"{address} answered {answer.status}, not {status}"
        if status != 200:
            self.excuse(page, re.escape(full))

    def excuse(self, page: Page, pattern: str) -> None:
        """Overlook complaints about addresses in which a pattern is found, until the page is taken down."""
        self.excused[page] = pattern

    def take(self, page: Page, name: str, state: str) -> None:
        """Take a page down in all sizes, light and dark, with all that is found in it."""
        page.wait_for_load_state()
        _wait_for_pictures(page)
        taken = State(name, state)
        self.states.append(taken)
        self._note_shifts(page, taken, "wide")
        for each in SIZES:
            page.set_viewport_size(size(each))  # type: ignore[arg-type]
            try:
                self._look(page, taken, each)
            except Error as error:  # what cannot be looked at in one size may be in the next
                taken.found(f"{each}: {error}"[:600])
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(size("wide"))  # type: ignore[arg-type]
        page.evaluate(_TAKE_SHIFTS)
        excused = self.excused.pop(page, "$.")
        for address, words in self.complaints[page]:
            if not re.search(excused, address):
                taken.found(f"{words} ({re.sub(r'/w/[^/]+', '/w/…', address)})")
        self.complaints[page].clear()
        print(f"  {name}: {state}" + "".join(f"\n    {finding}" for finding in taken.findings), flush=True)

    def _look(self, page: Page, taken: State, each: str) -> None:
        if (overflow := page.evaluate(_OVERFLOW)) > 0:
            taken.found(f"{overflow} px too wide on {each}")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            file = f"{_plain(taken.page)}--{_plain(taken.state)}--{each}-{scheme}.png"
            self._picture(page, file, each)
            taken.pictures[each, scheme] = file
            if each != "small":
                for barrier in barriers(page, only_colours=scheme == "dark"):
                    taken.found(f"axe, {each}, {scheme}: {barrier}")

    def _picture(self, page: Page, file: str, each: str) -> None:
        """Take a picture of a page from its top to its end; a bar that sticks to the window's end stands at the end."""
        sticks = page.evaluate(_STICKS)
        if sticks:
            page.set_viewport_size({"width": SIZES[each][0], "height": page.evaluate(_HEIGHT)})
        page.screenshot(path=self.folder / file, full_page=True, animations="disabled")
        if sticks:
            page.set_viewport_size(size(each))  # type: ignore[arg-type]

    def _note_shifts(self, page: Page, taken: State, where: str) -> None:
        shifts = page.evaluate(_TAKE_SHIFTS)
        burst = max(_bursts(shifts), key=_total, default=[])
        if (total := _total(burst)) > MOST_SHIFT:
            moved = "; ".join(f"{shift['value']:.2f} {shift['moved']}" for shift in burst)
            taken.found(f"the layout shifts by {total:.2f} on {where}: {moved}")

    def scene(self, play: "Scene") -> None:
        """Play a scene; when it comes to an end too early that is a finding, and the next one is played."""
        print((play.__doc__ or play.__name__).splitlines()[0], flush=True)
        try:
            play(self)
        except Exception as error:
            self.broken(error, "Scenes that broke off", play.__name__)

    def broken(self, error: Exception, name: str, state: str) -> None:
        """Note what could not be looked at, and why."""
        taken = State(name, state)
        said = f"{type(error).__name__}: {error}"
        taken.found(said if len(said) < 800 else f"{said[:300]} … {said[-500:]}")  # a command's output ends with why
        self.states.append(taken)
        print(f"  {name}: {state}\n    {taken.findings[0]}", flush=True)


Scene = Callable[[Camera], None]


def _bursts(shifts: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield what moved together, as browsers sum it up: less than a second between two, five seconds at most."""
    burst: list[dict[str, Any]] = []
    for shift in shifts:
        if burst and (shift["at"] - burst[-1]["at"] >= 1000 or shift["at"] - burst[0]["at"] >= 5000):
            yield burst
            burst = []
        burst.append(shift)
    if burst:
        yield burst


def _total(burst: list[dict[str, Any]]) -> float:
    return sum(float(shift["value"]) for shift in burst)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _wait_for_pictures(page: Page) -> None:
    """Wait for ten seconds at most. The browser's own wait evaluates a string, which a page's policy may forbid."""
    for _ in range(100):
        if page.evaluate(_PICTURES_ARE_THERE):
            return
        page.wait_for_timeout(100)
