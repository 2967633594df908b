"""What does a HIT ask, and at which address? Reads Question documents; imports nothing of Django.

An ExternalQuestion is an address, an HTMLQuestion a page. A QuestionForm is refused: this market does not draw forms.
"""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from xml.etree import ElementTree

from hits.localmarket.refusals import Refusal

MOST_BYTES = 65_535
NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"


@dataclass(frozen=True)
class Question:
    """One of ``url`` and ``html`` is set. A ``height`` of 0 means: as high as the window."""

    url: str
    html: str
    height: int


def read(document: str) -> Question:
    """Return what a Question document says, or refuse it."""
    if len(document.encode()) > MOST_BYTES:
        raise Refusal("parameter", reason=f"Question is longer than {MOST_BYTES} bytes.")
    if "<!DOCTYPE" in document or "<!ENTITY" in document:
        raise Refusal("question_xml", reason="a Question has no document type declaration.")
    try:
        root = ElementTree.fromstring(document.strip())  # noqa: S314 - entities were refused above
    except ElementTree.ParseError as error:
        raise Refusal("question_xml", reason=str(error)) from None
    kind = root.tag.rpartition("}")[2]
    if kind == "QuestionForm":
        raise Refusal("not_here", reason="QuestionForm: use ExternalQuestion or HTMLQuestion.")
    height = _text(root, "FrameHeight")
    if not height.isdecimal():
        raise Refusal("question_xml", reason="FrameHeight must be a whole number, 0 for the window's height.")
    if kind == "HTMLQuestion":
        return Question(url="", html=_text(root, "HTMLContent"), height=int(height))
    if kind == "ExternalQuestion":
        return Question(url=_address(_text(root, "ExternalURL")), html="", height=int(height))
    raise Refusal("question_xml", reason=f"{kind} is no kind of Question.")


def _text(root: ElementTree.Element, name: str) -> str:
    found = root.find(f"{{*}}{name}")
    if found is None or not (found.text or "").strip():
        raise Refusal("question_xml", reason=f"{name} is missing.")
    return (found.text or "").strip()


def _address(url: str) -> str:
    """Return the address of a task. The real service wants https; on one machine http must do."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refusal("parameter", reason="ExternalURL is no address.")
    return url


def address(url: str, *, hit_id: str, submit_to: str, assignment_id: str = "", worker_id: str = "") -> str:
    """Return a task's address for one worker, or for a preview where none is given; what it had stays."""
    more = [("assignmentId", assignment_id or NO_ASSIGNMENT), ("hitId", hit_id)]
    if assignment_id:
        more += [("workerId", worker_id)]
    more += [("turkSubmitTo", submit_to)]
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode(parse_qsl(parts.query, keep_blank_values=True) + more)))
