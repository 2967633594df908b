"""How do workers' pages write amounts and dates, and give their modules words, in the language that is spoken?"""

import json
from functools import lru_cache

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation.trans_real import DjangoTranslation
from django.views.i18n import JavaScriptCatalog

from collector.lib import languages

register = template.Library()
register.filter("dollars", languages.dollars)
register.filter("moment", languages.moment)
register.filter("day", languages.day)


@register.simple_tag
def page_words() -> SafeString | str:
    """Return what the modules of a page say, by the English; nothing in English. See js/chat/gettext.js."""
    language = languages.active()
    return "" if language == languages.ENGLISH else _words(language)


@lru_cache
def _words(language: str) -> SafeString:
    spoken = JavaScriptCatalog()
    folders = [str(path) for path in settings.LOCALE_PATHS]
    spoken.translation = DjangoTranslation(language, domain="djangojs", localedirs=folders)
    # Which of the forms goes with a number; the rules of gettext look at the last two digits of what is above 99.
    plural = "".join(str(spoken.translation.plural(number)) for number in range(200))
    said = json.dumps({"catalog": spoken.get_catalog(), "plural": plural}, ensure_ascii=False)
    content = mark_safe(said.replace("<", "\\u003c"))  # noqa: S308 - only "<" could end the element
    return format_html('<script type="application/json" id="words">{}</script>', content)
