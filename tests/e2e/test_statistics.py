"""Does a report draw its charts in its sandbox, and load nothing?"""

from pathlib import Path

from playwright.sync_api import Browser, Route, expect

from collector.analysis import charts
from collector.analysis.measures import describe
from collector.analysis.probes import read_lists
from collector.analysis.reports import of_files
from collector.desk.statistics import REPORT_POLICY
from tests.analysis import made_up

ADDRESS = "http://report.test/statistics.html"


def test_a_report_draws_its_charts_under_its_policy_and_asks_for_nothing(browser: Browser, tmp_path: Path) -> None:
    tally = of_files([made_up.write(tmp_path, "dstc7")], read_lists())
    report = charts.page(charts.charts([tally]), [describe(tally)], tally.lists)
    policy = "; ".join(f"{name} {' '.join(values)}" for name, values in REPORT_POLICY.items())
    page, complaints, asked = browser.new_context().new_page(), [], []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(body=report, headers={"Content-Security-Policy": policy}, content_type="text/html; charset=utf-8")

    page.route("**/*", answer)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(ADDRESS)
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(page.get_by_text("First words of answers")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(5)
    expect(page.locator(".sunburstlayer .slice").first).to_be_visible()
    ground = page.locator(".js-plotly-plot .main-svg").first
    expect(ground).to_have_css("background-color", "rgb(255, 255, 255)")
    page.emulate_media(color_scheme="dark")
    expect(ground).to_have_css("background-color", "rgb(20, 22, 26)")
    expect(page.locator("body")).to_have_css("background-color", "rgb(20, 22, 26)")
    expect(page.locator(".gtitle").first).to_have_css("fill", "rgb(242, 245, 250)")
    assert complaints == []
    assert [each for each in asked if not each.endswith("/favicon.ico")] == [ADDRESS]
