"""What would a program ask, answer and sum up? Both roles of a simulated dialog; plain Python, no Django.

The Questioner knows the dialog so far and nothing else. The Answerer knows the scene of a sample video, or of any
other video only its script.
"""

import itertools
import random
import re
from collections.abc import Sequence

from chat import scene_talk
from chat.protocol import Limits
from chat.rules import Action, least_of, longest_of
from collector.catalogue.scenes import Scene
from collector.lib.text import count_words

History = Sequence[tuple[str, str]]
"""The rounds so far: question and answer."""

_MORE = ("and", "that", "is", "all", "that", "a", "program", "can", "say", "about", "this", "video")
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_NEXT = "What happens after that in the video?"
_SCRIPT_QUESTIONS = (
    "What happens at the very end?",
    "Who or what is to be seen in the video?",
    "How many different things happen in all?",
    "What else happens in the beginning?",
    "What happens about half way through?",
    "Can you tell me once more how it starts?",
    "Does anything happen after the end of that?",
    "Which part of the video is the longest to describe?",
    "Which part of it is the shortest to describe?",
    "Can you tell the whole story in order?",
    "How would you describe the video in general?",
)


def next_question(history: History, rng: random.Random) -> str:
    """Return a question that the rounds so far lead to; the order of events first, then details."""
    asked = {question for question, _ in history}
    if not history:
        return scene_talk.FIRST
    told = " ".join(reply for _, reply in history)
    events = scene_talk.events_in(told)
    if not events:
        return _next_about_script(history, asked, rng)
    name, deed = _story(history)[-1]
    after = f"What happens after the {name} {deed}?"
    if after not in asked and not any(reply.startswith("Nothing more") for _, reply in history) and rng.random() < 0.8:
        return after
    open_ = [q for q in scene_talk.follow_ups(scene_talk.names_in(told), events) if q not in asked]
    general = [q for q in scene_talk.GENERAL if q not in asked]
    return rng.choice(general if general and (not open_ or rng.random() < 0.4) else open_ or [_NEXT])


def _next_about_script(history: History, asked: set[str], rng: random.Random) -> str:
    if history[-1][0] in (scene_talk.FIRST, _NEXT) and not history[-1][1].startswith("Nothing more"):
        return _NEXT
    left = [question for question in _SCRIPT_QUESTIONS if question not in asked]
    return rng.choice(left or [_NEXT])


def answer(question: str, history: History, known: Scene | str) -> str:
    """Return a truthful answer of at least five words from a scene, or from a script."""
    if isinstance(known, Scene):
        return scene_talk.answer(known, question)
    return _from_script(question, history, sentences_of(known))


def sentences_of(script: str) -> list[str]:
    """Return the sentences of a script, each without outer white space and final stop."""
    found = [part.strip().rstrip(".!?") for part in _SENTENCE.findall(" ".join(script.split()))]
    return [part for part in found if re.search(r"\w", part)]


def _from_script(question: str, history: History, sentences: list[str]) -> str:
    if not sentences:
        return scene_talk.UNKNOWN
    if question == scene_talk.FIRST:
        return _quoted("First of all, this happens", sentences[0])
    if question == _NEXT:
        step = 1 + sum(1 for earlier, _ in history if earlier == _NEXT)
        if step >= len(sentences):
            return "Nothing more happens after that, it ends."
        return _quoted("After that, this happens", sentences[step])
    if question not in _SCRIPT_QUESTIONS:
        return scene_talk.UNKNOWN
    last, middle = sentences[-1], sentences[len(sentences) // 2]
    replies = (
        _quoted("At the very end, this happens", last),
        _quoted("It is all in what the script says", max(sentences, key=len)),
        f"The script tells of it in {len(sentences)} sentences.",
        _quoted("The beginning is only described like this", sentences[0]),
        _quoted("About half way, the script says this", middle),
        _quoted("It starts as the script says", sentences[0]),
        "No, the script says nothing more after the end.",
        _quoted("The longest part of it is this", max(sentences, key=len)),
        _quoted("The shortest part of it is this", min(sentences, key=len)),
        _quoted("In order, this is what happens", "; then: ".join(sentences)),
        _quoted("In general, it is about this", max(sentences, key=len)),
    )
    return replies[_SCRIPT_QUESTIONS.index(question)]


def _quoted(lead: str, sentence: str) -> str:
    """Return lead and quote, within the 500 characters that an answer may have."""
    room = 480 - len(lead)
    return f"{lead}: {sentence if len(sentence) <= room else sentence[:room].rsplit(' ', 1)[0] + ' …'}."


def summarise(history: History) -> str:
    """Return the events that the answers told, in the order in which they came; at least eight words."""
    if told := _story(history):
        events = ", then ".join(f"the {name} {deed}" for name, deed in told)
        return f"In the video {events}, and that is all I know."
    story = [reply for question, reply in history if question in (scene_talk.FIRST, _NEXT) and ": " in reply]
    parts = [reply.split(": ", 1)[1].rstrip(".") for reply in story]
    return ("In the video this is what happens in order: " + "; then ".join(parts))[:1900] + "."


def _story(history: History) -> list[tuple[str, str]]:
    """Return the events that were told in order: the first, and each that came after the one before."""
    told = [reply for question, reply in history if question == scene_talk.FIRST or reply.startswith("After that")]
    return scene_talk.events_in(" ".join(told))


def fitted(action: Action, text: str, limits: Limits) -> str:
    """Return a text that a study takes: with as many words as it wants at least, no longer than it may be."""
    body, end = text.rstrip("?."), "?" if action == "ask" else "."
    room, least = longest_of(action, limits) - len(end), least_of(action, limits)
    for word in itertools.cycle(_MORE):
        if count_words(body, limits.language) >= least or len(body) > room:
            break
        body += f" {word}"
    if len(body) > room:
        body = body[:room].rsplit(" ", 1)[0]
    if count_words(body, limits.language) < least:  # long words did not leave room for enough of them
        body = " ".join("a" * least)[:room]
    return body + end
