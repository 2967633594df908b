"""How does a program answer who practises, and what does it say about their text? Plain Python; no Django.

The advice follows what the AVSD paper found (section 3.1): questions about actions lead on, questions about rooms and
looks do not; and a bare yes or no tells nothing.
"""

import re

from chat import scene_talk
from collector.catalogue.scenes import COLOURS, SHAPES, SIZES, Scene
from collector.lib.marking import gettext_noop
from collector.lib.words import holds, words_of

MOST_ADVICE = 2
"""So often a text is advised about; then it is taken, so that nobody is stuck."""
QUESTION = scene_talk.FIRST
"""What the program asks."""
YES_NO = gettext_noop(
    "This can be answered with a bare yes or no. Begin with what, who, where, when, how or why, and you learn "
    "much more from one question."
)
LOOKS = gettext_noop(
    "How a room, its furniture or somebody's clothes look is not what happens. Ask what people and things do, in which "
    "order, and what can be heard."
)
BARE = gettext_noop("A bare yes or no is no answer here. Say in a full sentence what you saw and heard, with details.")
NOT_OF_THE_VIDEO = gettext_noop(
    "This names nothing that is in the video. Play it once more, read the script beside it, and tell what moves first "
    "and how."
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words_of(words))


_OPENERS = _set(
    "is are was were am do does did can could has have had will would should may might isn aren wasn don doesn didn"
)
_LOOKS = _set(
    "furniture sofa couch chair chairs table tables lamp curtain curtains carpet rug wall walls room rooms floor "
    "wallpaper kitchen wearing wear clothes shirt trousers dress colour color decoration look looks"
)
_BARE = re.compile(r"\W*(yes|no|yeah|yep|nope|sure|maybe)\b", re.IGNORECASE)
_WORTH = 8  # words with which an answer that begins with yes or no has told something
_OF_SCENES = frozenset([*SHAPES, *SIZES, *COLOURS]) | _set(
    "slide slides sliding slid rotate rotates rotating turn turns turning spin spins spinning fly flies flying flew "
    "move moves moving moved"
)
_REPLIES = (
    (_set("end last finally finish"), "What happens at the very end?"),
    (_set("hear sound sounds noise audio listen"), "Which sounds can you hear?"),
    (_set("many number count"), "How many objects are there in all?"),
    (_set("fly flies flying"), "Does anything fly through the air?"),
    (_set("rotate rotates turn turns spin spins"), "Does anything rotate on the spot?"),
    (_set("see objects things shapes who"), "Which objects can you see in the video?"),
)


def about_question(text: str) -> str:
    """Return what to do better in a question; empty when it is a good one."""
    if words_of(text)[:1] and words_of(text)[0] in _OPENERS:
        return YES_NO
    return LOOKS if holds(text, _LOOKS) else ""


def about_answer(text: str) -> str:
    """Return what to do better in an answer about a sample scene; empty when it is a good one."""
    if _BARE.match(text) and len(words_of(text)) < _WORTH:
        return BARE
    return "" if holds(text, _OF_SCENES) else NOT_OF_THE_VIDEO


def reply(scene: Scene, question: str) -> str:
    """Return a true answer about the scene that goes with a question, as far as a program can tell."""
    if (known := scene_talk.answer(scene, question)) != scene_talk.UNKNOWN:
        return known
    asked = next((form for words, form in _REPLIES if holds(question, words)), scene_talk.FIRST)
    return scene_talk.answer(scene, asked)
