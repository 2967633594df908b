"""How do plain relative imports between modules find files whose names hold a hash? Through an import map."""

import json
from pathlib import Path
from typing import Any

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.context import Context
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

register = template.Library()

FOLDER = "js/chat"


def _modules(folders: tuple[str, ...]) -> list[str]:
    """Return the static names of the modules in folders."""
    static = Path(settings.BASE_DIR) / "static"
    return sorted(f"{folder}/{path.name}" for folder in folders for path in (static / folder).glob("*.js"))


@register.simple_tag(takes_context=True)
def importmap(context: Context, *more: str) -> SafeString:
    """Map each module's plain address to the one it is served under, and have them all loaded at once.

    These are the chat's modules and those in the folders named besides.

    Browsers want the map before the first module or preload.
    """
    served = {settings.STATIC_URL + name: staticfiles_storage.url(name) for name in _modules((FOLDER, *more))}
    # In a script element only "<" could end it; names of ours have none, whatever a storage makes of them.
    content = mark_safe(json.dumps({"imports": served}).replace("<", "\\u003c"))  # noqa: S308
    nonce = getattr(context.get("request"), "csp_nonce", "")
    preloads = format_html_join("\n", '<link rel="modulepreload" href="{}">', ((url,) for url in served.values()))
    return format_html('<script type="importmap" nonce="{}">{}</script>\n{}', nonce, content, preloads)


@register.simple_tag
def line_of(line: dict[str, Any], role: str) -> dict[str, str]:
    """Return a line's classes and who says it, in words, as static/js/chat/log.js makes them."""
    is_own = (line["position"] % 2 == 0) == (role == "questioner")
    writer = "answerer" if line["kind"] == "answer" else "questioner"
    return {
        "classes": f"line--{writer} line--{'own' if is_own else 'partner'}",
        "speaker": _speaker(line["kind"], is_own=is_own).format(number=line["position"] // 2 + 1),
    }


def _speaker(kind: str, *, is_own: bool) -> str:
    if kind == "question":
        return gettext("You, question {number}") if is_own else gettext("Partner, question {number}")
    if kind == "answer":
        return gettext("You, answer {number}") if is_own else gettext("Partner, answer {number}")
    return gettext("You, summary") if is_own else gettext("Partner, summary")
