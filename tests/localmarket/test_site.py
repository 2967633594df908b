"""The worker's site in a browser: a task of another site in its frame, from preview to earnings."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.workers import RESULTS, SIZES
from tests.localmarket.market import AMBER, CORAL, hit_values, question, refused

TASK = """<!doctype html><html lang="en"><title>Task</title><h1>Describe the video</h1>
<form method="post" action="{submit_to}/mturk/externalSubmit">
<input type="hidden" name="assignmentId" value="{assignment_id}">
<label>What happens? <input name="summary"></label> <button{disabled}>Submit</button></form>
<p id="storage"></p><script>
try {{ localStorage.x = 1; document.getElementById("storage").textContent = "storage works"; }}
catch (error) {{ document.getElementById("storage").textContent = "no storage"; }}
</script></html>"""


class TaskSite:
    """A requester's site on 127.0.0.1, which sets a cookie and remembers how it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, str], dict[str, str]]] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                values = {name: each[0] for name, each in parse_qs(urlsplit(self.path).query).items()}
                if "assignmentId" in values:
                    site.asked.append((values, dict(self.headers)))
                preview = values.get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"
                body = TASK.format(
                    submit_to=values.get("turkSubmitTo", ""),
                    assignment_id=values.get("assignmentId", ""),
                    disabled=" disabled" if preview else "",
                ).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Set-Cookie", "session=1; SameSite=Lax")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/task?video=3&amp;x=y"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture(scope="module")
def site() -> Iterator[TaskSite]:
    site = TaskSite()
    yield site
    site.server.shutdown()


@pytest.fixture
def complaints(page: Page) -> Iterator[list[str]]:
    """What the browser complains about; a page of ours gives no cause."""
    found: list[str] = []
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    yield found
    assert not [each for each in found if "favicon" not in each and "409" not in each]


def sign_in(page: Page, market, worker_id: str) -> None:
    page.goto(f"http://127.0.0.1:{market.port}/worker/")  # and is led to the proper name
    page.get_by_role("button", name=worker_id).click()
    expect(page.get_by_role("heading", name="HITs for you")).to_be_visible()
    assert urlsplit(page.url).hostname == "localhost"


def check_access(page: Page) -> None:
    results = Axe().run(page, options={"iframes": False})
    assert results.violations_count == 0, results.generate_report()


def test_a_worker_previews_accepts_submits_and_is_paid(market, mturk, site, page, complaints):
    more = {"Question": question(site.url), "Title": "Describe a video", "MaxAssignments": 2}
    hit_id = mturk.create_hit(**hit_values(**more))["HIT"]["HITId"]
    site.asked.clear()
    sign_in(page, market, AMBER)
    page.get_by_role("link", name="Preview").click()
    expect(page.frame_locator("iframe.task").get_by_role("button", name="Submit")).to_be_disabled()
    values, headers = site.asked[-1]
    assert (values["assignmentId"], values["hitId"]) == ("ASSIGNMENT_ID_NOT_AVAILABLE", hit_id)
    assert (values["video"], values["x"]) == ("3", "y")
    assert "workerId" not in values
    assert headers["Sec-Fetch-Site"] == "cross-site"

    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("iframe.task")
    expect(frame.get_by_role("button", name="Submit")).to_be_enabled()
    assert "allow-same-origin" in page.locator("iframe.task").get_attribute("sandbox")
    values, headers = site.asked[-1]
    assert values["workerId"] == AMBER
    assert values["turkSubmitTo"] == market.url
    assert "Cookie" not in headers, "a framed site has no cookies, though it set one a moment ago"
    assert page.locator("[data-seconds-left]").inner_text().startswith(("9:", "10:"))
    page.get_by_role("link", name="Queue").click()
    page.get_by_role("link", name="Work").click()
    frame.get_by_label("What happens?").fill("A ball rolls, <b>bounces</b> & stops.")
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Thank you. The requester decides about it")).to_be_visible()
    expect(page.get_by_role("button", name="Accept the next")).to_have_count(0)

    listed = mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"]
    assert "<FreeText>A ball rolls, &lt;b&gt;bounces&lt;/b&gt; &amp; stops.</FreeText>" in listed[0]["Answer"]
    mturk.approve_assignment(AssignmentId=listed[0]["AssignmentId"], RequesterFeedback="Clear and short.")
    mturk.send_bonus(WorkerId=AMBER, AssignmentId=listed[0]["AssignmentId"], BonusAmount="0.25", Reason="Waiting.")
    page.get_by_role("link", name="Earnings").first.click()
    expect(page.get_by_text("$1.25")).to_be_visible()
    expect(page.get_by_text("Clear and short.")).to_be_visible()
    expect(page.get_by_role("cell", name="Waiting.")).to_be_visible()
    check_access(page)


def test_a_returned_task_and_a_rejected_one_are_shown(market, mturk, site, page, complaints):
    hit_id = mturk.create_hit(**hit_values(Question=question(site.url)))["HIT"]["HITId"]
    sign_in(page, market, CORAL)
    page.get_by_role("button", name="Accept").click()
    page.get_by_role("button", name="Return").click()
    expect(page.get_by_text("You returned this HIT.")).to_be_visible()
    assignment_id = market.robot(CORAL).do(hit_id)
    mturk.reject_assignment(AssignmentId=assignment_id, RequesterFeedback="The video was not watched.")
    page.get_by_role("link", name="Earnings").first.click()
    expect(page.get_by_text("The video was not watched.")).to_be_visible()
    mturk.notify_workers(Subject="About your work", MessageText="Please watch it all.\nThanks.", WorkerIds=[CORAL])
    page.get_by_role("link", name="Messages").click()
    expect(page.get_by_text("Please watch it all.")).to_be_visible()


def test_a_strict_frame_has_no_storage_and_still_submits(market, mturk, site, page):
    market.control("settings", strict_frame=True)
    hit_id = mturk.create_hit(**hit_values(Question=question(site.url)))["HIT"]["HITId"]
    sign_in(page, market, AMBER)
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("iframe.task")
    expect(frame.locator("#storage")).to_have_text("no storage")
    frame.get_by_label("What happens?").fill("It ends.")
    frame.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Thank you. The requester decides about it")).to_be_visible()
    assert mturk.list_assignments_for_hit(HITId=hit_id)["NumResults"] == 1


def test_an_html_question_is_shown_and_submits(market, mturk, page):
    html = """<HTMLQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd">
    <HTMLContent><![CDATA[<!doctype html><html lang="en"><title>t</title><form method="post" id="f">
    <input type="hidden" name="assignmentId" id="a"><label>Colour <input name="colour"></label><button>Send</button></form>
    <script>const q = new URLSearchParams(location.search); document.getElementById("a").value = q.get("assignmentId");
    document.getElementById("f").action = q.get("turkSubmitTo") + "/mturk/externalSubmit";</script></html>]]></HTMLContent>
    <FrameHeight>400</FrameHeight></HTMLQuestion>"""  # fmt: skip # noqa: E501
    hit_id = mturk.create_hit(**hit_values(Question=html))["HIT"]["HITId"]
    sign_in(page, market, AMBER)
    page.get_by_role("button", name="Accept").click()
    frame = page.frame_locator("iframe.task")
    frame.get_by_label("Colour").fill("red")
    frame.get_by_role("button", name="Send").click()
    expect(page.get_by_text("Thank you. The requester decides about it")).to_be_visible()
    page_of_it = httpx.get(f"{market.url}/worker/html/{hit_id}")
    assert page_of_it.headers["Content-Security-Policy"].startswith("sandbox "), "it cannot act as our pages"
    assert "allow-same-origin" not in page_of_it.headers["Content-Security-Policy"]
    assert "<FreeText>red</FreeText>" in mturk.list_assignments_for_hit(HITId=hit_id)["Assignments"][0]["Answer"]


def test_a_qualification_is_asked_for_on_its_page(market, mturk, page, complaints):
    mturk.create_qualification_type(Name="Careful", Description="Reads twice.", QualificationTypeStatus="Active")
    sign_in(page, market, AMBER)
    page.get_by_role("link", name="Qualifications").click()
    page.get_by_role("button", name="Request").click()
    expect(page.get_by_role("cell", name="waiting")).to_be_visible()
    assert mturk.list_qualification_requests()["NumResults"] == 1
    check_access(page)


def test_control_moves_the_clock_and_sets_a_fault(market, mturk, page, complaints):
    page.goto(f"{market.url}/control/")
    page.get_by_role("button", name="1 hour").click()
    expect(page.get_by_role("status")).to_contain_text("The clock shows")
    page.get_by_label("Operation").select_option("CreateHIT")
    page.get_by_label("What happens").select_option("error")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("CreateHIT: error, 1 times.")).to_be_visible()
    with refused("ServiceFault"):
        mturk.create_hit(**hit_values())
    page.get_by_label("Task frames without storage").check()
    page.get_by_role("button", name="Save").first.click()
    assert market.look("state")["settings"]["strict_frame"] is True
    page.get_by_label("Available dollars").fill("-")
    page.get_by_role("button", name="Set", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Not done")
    check_access(page)
    market.control("reset")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_their_windows(market, mturk, site, page, scheme):
    """Leaves pictures to look at; asserts only that nothing is wider than its window."""
    page.emulate_media(color_scheme=scheme)
    _fill(market, mturk, site)
    sign_in(page, market, AMBER)
    names = {"offers": "", "queue": "queue", "earnings": "earnings", "messages": "messages", "mine": "qualifications"}
    addresses = {name: f"{market.url}/worker/{path}" for name, path in names.items()}
    held = next(each for each in market.robot(AMBER).get("assignments") if each["status"] == "Accepted")
    addresses |= {
        "sign-in": f"{market.url}/worker/sign-in", "task": f"{market.url}/worker/tasks/{held['assignment_id']}",
        "preview": f"{market.url}/worker/groups/{held['group_id']}", "control": f"{market.url}/control/",
        "start": market.url,
    }  # fmt: skip
    RESULTS.mkdir(exist_ok=True)
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for name, address in addresses.items():
            page.goto(address)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            page.screenshot(path=RESULTS / f"localmarket-{name}-{size}-{scheme}.png", full_page=True)
            assert wide <= 0, f"{name} at {width}"
            if size == "wide":
                check_access(page)


def _fill(market, mturk, site) -> None:
    """Let something have happened."""
    masters = {"QualificationTypeId": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "Comparator": "Exists"}
    talk = {"Title": "Talk with another worker about a short video", "Reward": "3.50", "MaxAssignments": 9}
    talk |= {"Description": "You see three frames or the whole video with its script, and ask or answer ten questions."}
    talk["Question"] = question(site.url)
    hit_id, _ = (mturk.create_hit(**hit_values(**talk))["HIT"]["HITId"] for _ in range(2))
    mturk.create_hit(**hit_values(Title="Summarise a video", Reward="0.80", QualificationRequirements=[masters]))
    other = mturk.create_hit(**hit_values(Title="Judge answers", MaxAssignments=4))["HIT"]["HITId"]
    amber = market.robot(AMBER)
    first, second = amber.do(other), amber.do(mturk.create_hit(**hit_values(Title="Pilot"))["HIT"]["HITId"])
    amber.do(mturk.create_hit(**hit_values(Title="A short survey"))["HIT"]["HITId"])
    mturk.approve_assignment(AssignmentId=first, RequesterFeedback="Well done.")
    mturk.reject_assignment(AssignmentId=second, RequesterFeedback="Every answer was the same.")
    mturk.send_bonus(WorkerId=AMBER, AssignmentId=first, BonusAmount="0.45", Reason="Three minutes of waiting.")
    mturk.notify_workers(Subject="A study tomorrow", MessageText="We begin at 16:00 UTC.", WorkerIds=[AMBER])
    mturk.create_qualification_type(Name="Careful", Description="Reads twice.", QualificationTypeStatus="Active")
    amber.accept(hit_id)
    market.control("faults", operation="SendBonus", kind="lost", times=3)


def test_a_page_has_no_effect_on_get_and_a_strange_submission_gets_a_sentence(market, mturk):
    assert httpx.get(f"{market.url}/mturk/externalSubmit").status_code == 405
    answer = httpx.post(f"{market.url}/mturk/externalSubmit", data={"assignmentId": "3NONE", "a": "1"})
    assert answer.status_code == 409
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    for path in ("sign-out", "groups/3A/accept", "tasks/3A/return"):
        assert httpx.get(f"{market.url}/worker/{path}").status_code == 405
