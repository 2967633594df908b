"""What does the program that one practises with tell of a sample scene? The truth, in the language that is active.

Its sentences are fixed and whole, so that each language says them its own way. What is asked is told by words in the
question; the lists of words are translated with the rest, in all the forms in which they stand in texts.
"""

from collections.abc import Callable, Iterable

from django.utils.translation import gettext

from collector.catalogue.scenes import NOISES, Direction, Event, Kind, Scene, Shape, Size, Thing
from collector.lib.languages import listed
from collector.lib.marking import gettext_noop
from collector.lib.words import holds, words_of

_THINGS: dict[tuple[Size, Shape], str] = {
    ("small", "cube"): gettext_noop("the small {colour} cube"),
    ("medium", "cube"): gettext_noop("the medium {colour} cube"),
    ("large", "cube"): gettext_noop("the large {colour} cube"),
    ("small", "sphere"): gettext_noop("the small {colour} sphere"),
    ("medium", "sphere"): gettext_noop("the medium {colour} sphere"),
    ("large", "sphere"): gettext_noop("the large {colour} sphere"),
    ("small", "cylinder"): gettext_noop("the small {colour} cylinder"),
    ("medium", "cylinder"): gettext_noop("the medium {colour} cylinder"),
    ("large", "cylinder"): gettext_noop("the large {colour} cylinder"),
    ("small", "cone"): gettext_noop("the small {colour} cone"),
    ("medium", "cone"): gettext_noop("the medium {colour} cone"),
    ("large", "cone"): gettext_noop("the large {colour} cone"),
}
_COLOURS = {
    "red": gettext_noop("red"),
    "green": gettext_noop("green"),
    "blue": gettext_noop("blue"),
    "yellow": gettext_noop("yellow"),
    "purple": gettext_noop("purple"),
    "orange": gettext_noop("orange"),
    "cyan": gettext_noop("cyan"),
}
_DEEDS: dict[tuple[Kind, Direction], str] = {
    ("rotate", ""): gettext_noop("{thing} rotates on the spot"),
    ("slide", "left"): gettext_noop("{thing} slides to the left"),
    ("slide", "right"): gettext_noop("{thing} slides to the right"),
    ("slide", "front"): gettext_noop("{thing} slides to the front"),
    ("slide", "back"): gettext_noop("{thing} slides to the back"),
    ("fly", "left"): gettext_noop("{thing} flies through the air to the left"),
    ("fly", "right"): gettext_noop("{thing} flies through the air to the right"),
    ("fly", "front"): gettext_noop("{thing} flies through the air to the front"),
    ("fly", "back"): gettext_noop("{thing} flies through the air to the back"),
}
_SHAPES: dict[Shape, str] = {
    "cube": gettext_noop("cube cubes box boxes"),
    "sphere": gettext_noop("sphere spheres ball balls"),
    "cylinder": gettext_noop("cylinder cylinders"),
    "cone": gettext_noop("cone cones"),
}
_LOOKS = gettext_noop("small medium large big red green blue yellow purple orange cyan")
_MOVES = gettext_noop(
    "slide slides sliding slid rotate rotates rotating turn turns turning spin spins spinning fly flies flying flew "
    "move moves moving moved"
)


def listed_words(marked: str) -> frozenset[str]:
    """Return the words of a marked list, as the active language has them."""
    return frozenset(words_of(gettext(marked)))


def names_something(text: str) -> bool:
    """Tell whether a text names anything that sample scenes have: an object, its looks, or what it does."""
    return any(holds(text, listed_words(words)) for words in (*_SHAPES.values(), _LOOKS, _MOVES))


def script(scene: Scene) -> str:
    """Return all that happens, in order, a sentence an event."""
    return " ".join([first(scene), *(gettext("Then {event}.").format(event=_told(scene, e)) for e in scene.events[1:])])


def reply(scene: Scene, question: str) -> str:
    """Return a true answer that goes with a question, as far as a program can tell; else what happens first."""
    for words, tell in _REPLIES:
        if holds(question, listed_words(words)):
            return tell(scene)
    asked = {shape for shape, words in _SHAPES.items() if holds(question, listed_words(words))}
    return _about(scene, asked) if asked & {thing.shape for thing in scene.things} else first(scene)


def first(scene: Scene) -> str:
    """Return what happens first."""
    return gettext("First of all, {event}.").format(event=_told(scene, scene.events[0]))


def _name(thing: Thing) -> str:
    return gettext(_THINGS[thing.size, thing.shape]).format(colour=gettext(_COLOURS[thing.colour]))


def _told(scene: Scene, event: Event) -> str:
    return gettext(_DEEDS[event.kind, event.direction]).format(thing=_name(scene.things[event.thing]))


def _last(scene: Scene) -> str:
    return gettext("The last thing is that {event}.").format(event=_told(scene, scene.events[-1]))


def _sounds(scene: Scene) -> str:
    heard = dict.fromkeys(gettext(NOISES[sound.noise]) for sound in scene.sounds)
    return gettext("One can hear {sounds}.").format(sounds=listed(list(heard)))


def _many(scene: Scene) -> str:
    return gettext("There are {number} objects on the plane.").format(number=len(scene.things))


def _seen(scene: Scene) -> str:
    return gettext("I can see {things}.").format(things=listed([_name(thing) for thing in scene.things]))


def _what(kind: Kind, nothing: str) -> Callable[[Scene], str]:
    def tell(scene: Scene) -> str:
        done = [_told(scene, event) for event in scene.events if event.kind == kind]
        return _in_order(done) if done else gettext(nothing)

    return tell


def _about(scene: Scene, shapes: Iterable[Shape]) -> str:
    """Return what objects of some shapes do, or that they do nothing."""
    meant = [number for number, thing in enumerate(scene.things) if thing.shape in shapes]
    done = [_told(scene, event) for event in scene.events if event.thing in meant]
    if done:
        return _in_order(done)
    return gettext("All the time {thing} just stands still.").format(thing=_name(scene.things[meant[0]]))


def _in_order(told: list[str]) -> str:
    return gettext("In the video {events}.").format(events=listed(told))


_REPLIES: tuple[tuple[str, Callable[[Scene], str]], ...] = (
    (gettext_noop("end last finally finish"), _last),
    (gettext_noop("hear sound sounds noise noises audio listen"), _sounds),
    (gettext_noop("many number count"), _many),
    (gettext_noop("fly flies flying"), _what("fly", gettext_noop("Nothing flies through the air here."))),
    (
        gettext_noop("rotate rotates rotating turn turns spin spins"),
        _what("rotate", gettext_noop("Nothing rotates on the spot here.")),
    ),
    (gettext_noop("see objects things shapes who"), _seen),
)
"""By which words a question is known, and what tells it."""
