"""What does a page look like in each size and scheme, and what is wrong with it?"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Error, Page

from tests.e2e.access import barriers
from tests.e2e.calm import Heard
from tests.e2e.workers import SIZES, size
from tests.product import Product

SCHEMES = ("light", "dark")
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
    heard: dict[Page, Heard] = field(default_factory=dict)
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
        self.heard.setdefault(page, Heard()).listen(page)
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
            self.heard[page].complained()

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
        self._heard(page).moved()  # other sizes are other layouts
        for finding in self.heard[page].complained([self.excused.pop(page, "$.")]):
            taken.found(finding)
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
        for finding in self._heard(page).moved():
            taken.found(f"{finding} on {where}")

    def _heard(self, page: Page) -> Heard:
        page.evaluate("1")  # what it has said by now is heard
        return self.heard[page]

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


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _wait_for_pictures(page: Page) -> None:
    """Wait for ten seconds at most. The browser's own wait evaluates a string, which a page's policy may forbid."""
    for _ in range(100):
        if page.evaluate(_PICTURES_ARE_THERE):
            return
        page.wait_for_timeout(100)
