"""What does the program of a practice say about a text? In the language that is active.

The advice follows what the AVSD paper found (section 3.1): questions about actions lead on, questions about rooms and
looks do not; and a bare yes or no tells nothing.
"""

from django.utils.translation import gettext

from collector.learning.partner import listed_words, names_something
from collector.lib.marking import gettext_noop
from collector.lib.words import holds, words_of

MOST_ADVICE = 2
"""So often a text is advised about; then it is taken, so that nobody is stuck."""
QUESTION = gettext_noop("What happens first in the video?")
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
_OPENERS = gettext_noop(
    "is are was were am do does did can could has have had will would should may might isn aren wasn don doesn didn"
)
"""Words with which a question begins that yes or no can answer."""
_OF_LOOKS = gettext_noop(
    "furniture sofa couch chair chairs table tables lamp curtain curtains carpet rug wall walls room rooms floor "
    "wallpaper kitchen wearing wear clothes shirt trousers dress colour color decoration look looks"
)
_BARE = gettext_noop("yes no yeah yep nope sure maybe")
_WORTH = 8  # words with which an answer that begins with yes or no has told something


def about_question(text: str) -> str:
    """Return what to do better in a question; empty when it is a good one."""
    if not listed_words(_OPENERS).isdisjoint(words_of(text)[:1]):
        return gettext(YES_NO)
    return gettext(LOOKS) if holds(text, listed_words(_OF_LOOKS)) else ""


def about_answer(text: str) -> str:
    """Return what to do better in an answer about a sample scene; empty when it is a good one."""
    words = words_of(text)
    if len(words) < _WORTH and not listed_words(_BARE).isdisjoint(words[:1]):
        return gettext(BARE)
    return "" if names_something(text) else gettext(NOT_OF_THE_VIDEO)
