"""Two people at real browsers, for tests: what they do, and all that one of their browsers receives."""

import base64
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Frame, Page, Response, WebSocket, expect

from tests.product import Product

RESULTS = Path(__file__).resolve().parents[2] / "test-results"
SIZES = {"wide": (1280, 800), "small": (800, 600), "phone": (390, 844)}
ROUNDS = 10
SUMMARY = "Several coloured shapes stand on a plane, and some of them slide, turn and fly. A knock is heard."
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}={0,2}")


@dataclass
class Received:
    """Everything a browser got: addresses, headers, bodies, frames of the socket."""

    pieces: list[bytes] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        """Collect from now on."""
        page.on("response", lambda response: self.responses.append(response))
        page.on("websocket", self._listen_to_socket)

    def _listen_to_socket(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: self.pieces.append(data.encode() if isinstance(data, str) else data))

    def collect(self) -> None:
        """Take over the responses there are; call before the page goes to another document, which drops bodies."""
        for response in self.responses:
            self.pieces.append(f"{response.url}\n{response.all_headers()}".encode())
            if response.status < 300:
                self.pieces.append(response.body())
        self.responses.clear()

    def everything(self) -> bytes:
        """Return all of it, followed by what stands behind base64 in it."""
        return b"\n".join([*self.pieces, *(decoded for piece in self.pieces for decoded in _decoded(piece))])


def _decoded(piece: bytes) -> list[bytes]:
    found = []
    for run in _BASE64.findall(piece):
        core = run.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        for start in range(4):  # a run may begin before the base64 in it does
            found.append(base64.b64decode(core[start : start + (len(core) - start) // 4 * 4]))
    return found


@dataclass
class Pair:
    """Two workers in one dialog."""

    questioner: Page
    answerer: Page


def log_in(page: Page, product: Product, path: str, name: str = "researcher") -> None:
    """Go to a page for researchers as one of them."""
    page.goto(f"{product.url}/admin/login/?next={path}")
    page.locator("#id_username").fill(name)
    page.locator("#id_password").fill(product.password)
    page.locator("[type=submit]").click()
    page.wait_for_url(f"**{path}")


def join(
    context: BrowserContext, url: str, participant: str, received: Received | None = None, *, study: str = "demo"
) -> Page:
    """Open the invitation, read, agree and wait for a partner."""
    page = context.new_page()
    if received:
        received.listen(page)
    page.goto(f"{url}/join/{study}/?participant={participant}")
    page.get_by_label("I am 18 or over").check()
    if received:
        received.collect()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#room")).to_be_visible()
    return page


def pair(browser: Browser, url: str, name: str, *, study: str = "demo") -> Pair:
    """Bring two new workers together."""
    contexts = [browser.new_context(viewport=size("wide")) for _ in "ab"]
    pages = [join(contexts[i], url, f"{name}-{'ab'[i]}", study=study) for i in (0, 1)]
    return roles(*pages)


def roles(one: Page | Frame, other: Page | Frame) -> Pair:
    """Tell who is who, as soon as both are in the dialog."""
    for page in (one, other):
        expect(page.locator("#room")).to_have_attribute("data-phase", "dialog", timeout=30_000)
    return Pair(one, other) if role(one) == "questioner" else Pair(other, one)  # type: ignore[arg-type]


def role(page: Page | Frame) -> str | None:
    return page.locator("#room").get_attribute("data-role")


def size(name: str) -> dict[str, int]:
    width, height = SIZES[name]
    return {"width": width, "height": height}


def expect_move(page: Page | Frame, move: str) -> None:
    expect(page.locator("#room")).to_have_attribute("data-move", move, timeout=30_000)


def say(page: Page | Frame, text: str) -> None:
    """Write and press Enter."""
    page.locator("#text").fill(text)
    page.locator("#text").press("Enter")


def watch(page: Page | Frame) -> None:
    """Play the video to its end."""
    video = page.locator("video")
    seconds = video.evaluate("async video => { await video.play(); return video.duration; }")
    expect(video).to_have_js_property("ended", True, timeout=20_000 + 1000 * seconds)


def question(number: int) -> str:
    return f"What is the next thing to move, after {number}?"


def answer(number: int) -> str:
    return f"The next one is another shape, I count {number} of them so far."


def a_round(workers: Pair, number: int) -> None:
    """Ask and answer."""
    expect_move(workers.questioner, "ask")
    say(workers.questioner, question(number))
    expect_move(workers.answerer, "answer")
    say(workers.answerer, answer(number))


def whole_dialog(workers: Pair, summary: str = SUMMARY) -> None:
    """Watch, hold all rounds and sum up, until both stand on the page that says so."""
    watch(workers.answerer)
    for number in range(1, ROUNDS + 1):
        a_round(workers, number)
    expect_move(workers.questioner, "summarise")
    say(workers.questioner, summary)
    for page in (workers.questioner, workers.answerer):
        page.wait_for_url("**/finish/", timeout=30_000)
        expect(page.get_by_role("heading", name="Thank you, all done")).to_be_visible()


def exported(product: Product, study: str, out: Path) -> dict[str, Any]:
    """Return a study's dialogs as the export has them, by video."""
    product.manage("export_avsd", "--out", str(out), "--study", study, "--format", "raw")
    videos: dict[str, Any] = json.loads(out.read_text())
    return videos


def expect_whole(video: dict[str, Any], summary: str = SUMMARY) -> None:
    """Expect what :func:`whole_dialog` said in a video's export, in its order."""
    assert video["summary"] == summary
    said = json.dumps(video["data"])
    places = [said.index(text(number)) for number in range(1, ROUNDS + 1) for text in (question, answer)]
    assert places == sorted(places)


def picture(page: Page, name: str) -> None:
    """Keep what a page looks like in all sizes, light and dark, and that nothing is cut off at its side."""
    RESULTS.mkdir(exist_ok=True)
    for each in SIZES:
        page.set_viewport_size(size(each))  # type: ignore[arg-type]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.screenshot(path=RESULTS / f"{name}-{each}-{scheme}.png")
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{name} is {overflow} px too wide on {each}"
        composer = page.locator("#composer")
        if composer.count() and composer.is_visible():
            bottom = composer.evaluate("node => node.getBoundingClientRect().bottom - innerHeight")
            assert bottom <= 0, f"{name}: the composer is out of view on {each}"
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(size("wide"))  # type: ignore[arg-type]
