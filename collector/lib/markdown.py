"""How do a researcher's texts become HTML? Markdown, then a sanitiser: nothing in it can run or load."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_markdown = MarkdownIt("commonmark", {"html": False})
_TAGS = {"p", "ul", "ol", "li", "strong", "em", "code", "h2", "h3", "h4", "br", "blockquote", "a", "hr"}


def render(text: str) -> SafeString:
    """Return ``text`` as sanitised HTML; links open in a new tab, since the page may stand in a frame."""
    html = nh3.clean(
        _markdown.render(text),
        tags=_TAGS,
        attributes={"a": {"href"}},
        url_schemes={"http", "https", "mailto"},
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(html)  # noqa: S308 - cleaned above
