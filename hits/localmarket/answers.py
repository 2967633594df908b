"""How are a worker's answers kept? As the XML document that requesters get; imports nothing of Django."""

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

NAMESPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
RESERVED = ("assignmentId", "hitId", "turkSubmitTo", "workerId")
_NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def fields_of(pairs: Iterable[tuple[str, object]]) -> dict[str, str]:
    """Return a form's fields without the reserved ones; of fields with one name the last is kept, as is documented."""
    return {name: str(value) for name, value in pairs if name not in RESERVED}


def to_xml(fields: dict[str, str]) -> str:
    """Return the answer document; it is plain ASCII, other characters are references."""
    parts = "".join(
        f"<Answer><QuestionIdentifier>{_text(name)}</QuestionIdentifier><FreeText>{_text(value)}</FreeText></Answer>"
        for name, value in fields.items()
    )
    return (
        f'<?xml version="1.0" encoding="ASCII"?><QuestionFormAnswers xmlns="{NAMESPACE}">{parts}</QuestionFormAnswers>'
    )


def _text(value: str) -> str:
    """Return text that may stand in XML; characters that may not are left out."""
    return escape(_NOT_XML.sub("", value)).encode("ascii", "xmlcharrefreplace").decode()
