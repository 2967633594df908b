"""What in a page keeps somebody out, as axe finds it: WCAG 2.2 A and AA, and on our own pages axe's best practices."""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

_EACH: dict[str, Any] = {"iframes": False, "preload": False, "resultTypes": ["violations"]}
_ALL: dict[str, Any] = _EACH | {"rules": {"target-size": {"enabled": True}}}
_WCAG: dict[str, Any] = _ALL | {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
_COLOURS: dict[str, Any] = _EACH | {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
_RUN = "options => axe.run(options).then(found => found.violations)"
SHOWN = 3


def barriers(page: Page, *, only_colours: bool = False) -> list[str]:
    """Return what axe finds, each with the first elements it is about; what stands in frames is left out.

    Another scheme changes colours only, so the whole need be asked in one of them. The admin's markup is Django's, so
    there only the standard counts.
    """
    whole = _WCAG if "/admin/" in page.url else _ALL
    if not page.evaluate("'axe' in window"):  # half a megabyte, which a page needs once
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(_RUN, _COLOURS if only_colours else whole)
    return [f"{each['id']}: {each['help']}: {_elements(each['nodes'])}" for each in found]


def _elements(nodes: list[dict[str, Any]]) -> str:
    shown = "; ".join(" ".join(map(str, node["target"])) for node in nodes[:SHOWN])
    return f"{shown} and {len(nodes) - SHOWN} more" if len(nodes) > SHOWN else shown
