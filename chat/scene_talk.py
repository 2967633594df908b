"""What can be asked and truthfully said about a sample scene? Plain Python; no Django.

The one who asks has not seen the scene: the questions name only objects and events that answers have named before.
"""

import random
import re
from collections.abc import Callable, Sequence

from collector.catalogue.scenes import COLOURS, NOISES, SHAPES, SIZES, Direction, Event, Scene, does

_NAME = re.compile(rf"\b({'|'.join(SIZES)}) ({'|'.join(COLOURS)}) ({'|'.join(SHAPES)})\b")
_DEED = (
    r"(?:slides to the (?:left|right|front|back)|rotates on the spot"
    r"|flies through the air to the (?:left|right|front|back))"
)
EVENT = re.compile(rf"\b((?:{'|'.join(SIZES)}) (?:{'|'.join(COLOURS)}) (?:{'|'.join(SHAPES)})) ({_DEED})")
FIRST = "What happens first in the video?"
GENERAL = (
    "How many objects are there in all?",
    "Which objects can you see in the video?",
    "Which objects never move at all?",
    "Which object moves the most often?",
    "What happens at the very end?",
    "How many things happen in the whole video?",
    "Does anything fly through the air?",
    "Does anything rotate on the spot?",
    "Which sounds can you hear?",
    "Does the camera move at any time?",
    "Which objects are made of metal?",
    "Which object is farthest to the left at the end?",
    "Which object is farthest to the right at the beginning?",
    "How long is the whole video?",
)
_ABOUT_THING = (
    "Is the {} made of metal or of rubber?",
    "Where is the {} at the beginning?",
    "Where is the {} at the end?",
    "How often does the {} move?",
    "What does the {} do in the video?",
    "What is next to the {} at the end?",
)
_ABOUT_EVENT = (
    "What happens after the {} {}?",
    "How long does it take when the {} {}?",
    "What can you hear when the {} {}?",
    "When is it that the {} {}?",
)
_NUMBER = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_SIDES: dict[Direction, str] = {
    "left": "to the left of",
    "right": "to the right of",
    "front": "in front of",
    "back": "behind",
}
UNKNOWN = "I cannot tell that from the video, sorry."


def names_in(text: str) -> list[str]:
    """Return the objects that a text names, in order, each once."""
    return list(dict.fromkeys(" ".join(found) for found in _NAME.findall(text)))


def events_in(text: str) -> list[tuple[str, str]]:
    """Return the events that a text tells, as name and deed, in order, each once."""
    return list(dict.fromkeys(EVENT.findall(text)))


def follow_ups(names: Sequence[str], events: Sequence[tuple[str, str]]) -> list[str]:
    """Return the questions that can be asked by one who knows of these objects and events."""
    asked = [form.format(name) for name in names for form in _ABOUT_THING]
    return asked + [form.format(name, deed) for name, deed in events for form in _ABOUT_EVENT]


def questions(scene: Scene, rng: random.Random) -> list[str]:
    """Return all questions that can be asked about a scene, in some order."""
    events = [(scene.things[event.thing].name, does(event)) for event in scene.events]
    asked = [FIRST, *GENERAL, *follow_ups([thing.name for thing in scene.things], events)]
    rng.shuffle(asked)
    return asked


def answer(scene: Scene, question: str) -> str:
    """Return the truth about a scene as a full sentence of at least five words."""
    if question == FIRST:
        return f"First of all, {_tells(scene, scene.events[0])}."
    if question in GENERAL:
        return _GENERAL[GENERAL.index(question)](scene)
    if told := EVENT.search(question):
        for number, event in enumerate(scene.events):
            if (scene.things[event.thing].name, does(event)) == told.groups():
                return _about_event(scene, number, question)
    if named := names_in(question):
        for number, thing in enumerate(scene.things):
            if thing.name == named[0]:
                return _about_thing(scene, number, question)
    return UNKNOWN


def summary(scene: Scene) -> str:
    """Return what happens in a scene, in order."""
    told = ", then ".join(_tells(scene, event) for event in scene.events)
    return f"There are {_NUMBER[len(scene.things)]} objects on a plane: {told}."


def _tells(scene: Scene, event: Event) -> str:
    return f"the {scene.things[event.thing].name} {does(event)}"


def _listed(names: Sequence[str], article: str = "the") -> str:
    named = [f"{article} {name}" for name in names]
    for number, name in enumerate(named):
        if name.startswith("a o"):
            named[number] = "an" + name[1:]
    return named[0] if len(named) == 1 else ", ".join(named[:-1]) + " and " + named[-1]


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{_NUMBER[count]} times")


def _seconds(frames: int, fps: int) -> str:
    return f"{frames / fps:.1f} seconds"


def _deeds(scene: Scene, number: int) -> list[str]:
    return [does(event) for event in scene.events if event.thing == number]


def _side(scene: Scene, number: int, other: int, frame: int) -> str:
    """Return where one object is seen from another, on the axis on which they are farther apart."""
    x, y, *_ = scene.things[number].path[frame]
    to_x, to_y, *_ = scene.things[other].path[frame]
    dx, dy = x - to_x, y - to_y
    if abs(dx) >= abs(dy):
        return _SIDES["left" if dx < 0 else "right"]
    return _SIDES["front" if dy < 0 else "back"]


def _nearest(scene: Scene, number: int, frame: int) -> list[int]:
    x, y, *_ = scene.things[number].path[frame]
    others = [other for other in range(len(scene.things)) if other != number]
    return sorted(
        others,
        key=lambda o: (scene.things[o].path[frame][0] - x) ** 2 + (scene.things[o].path[frame][1] - y) ** 2,
    )


def _about_event(scene: Scene, number: int, question: str) -> str:
    event = scene.events[number]
    told = _tells(scene, event)
    if question.startswith("What happens after"):
        if number + 1 == len(scene.events):
            return f"Nothing more happens after {told}."
        return f"After that, {_tells(scene, scene.events[number + 1])}."
    if question.startswith("How long"):
        return f"That takes about {_seconds(event.end - event.start + 1, scene.fps)}: {told}."
    if question.startswith("When"):
        return f"About {_seconds(event.start, scene.fps)} after the start, {told}."
    heard = [NOISES[sound.noise] for sound in scene.sounds if event.start <= sound.start <= event.end]
    return f"You hear {' and then '.join(heard)} when {told}."


def _about_thing(scene: Scene, number: int, question: str) -> str:
    thing = scene.things[number]
    deeds = _deeds(scene, number)
    if "made of" in question:
        looks = "shiny metal" if thing.material == "metal" else "dull rubber"
        return f"The {thing.name} is made of {looks}."
    if question.startswith("How often"):
        moves = f"moves {_times(len(deeds))}" if deeds else "never moves"
        return f"The {thing.name} {moves} in the whole video."
    if question.startswith("What does"):
        if not deeds:
            return f"The {thing.name} just stands still all the time."
        return f"The {thing.name} {' and later '.join(deeds)}, nothing else."
    frame = 0 if question.endswith("beginning?") else scene.frames - 1
    when = "At the beginning" if frame == 0 else "At the end"
    near = _nearest(scene, number, frame)
    if question.startswith("What is next to"):
        return f"The {scene.things[near[0]].name} is the nearest object to the {thing.name} then."
    told = " and ".join(f"{_side(scene, number, other, frame)} the {scene.things[other].name}" for other in near[:2])
    return f"{when}, the {thing.name} is {told}."


def _never(scene: Scene) -> str:
    still = [thing.name for number, thing in enumerate(scene.things) if not _deeds(scene, number)]
    if not still:
        return "All of the objects move at some time."
    return f"Only {_listed(still)} never {'moves' if len(still) == 1 else 'move'} at all."


def _most(scene: Scene) -> str:
    counts = [len(_deeds(scene, number)) for number in range(len(scene.things))]
    busiest = [thing.name for thing, count in zip(scene.things, counts, strict=True) if count == max(counts)]
    if len(busiest) == 1:
        return f"The {busiest[0]} moves the most, {_times(max(counts))}."
    return f"{_listed(busiest).capitalize()} move the most, {_times(max(counts))} each."


def _doing(kind: str, one: str, many: str) -> Callable[[Scene], str]:
    def told(scene: Scene) -> str:
        names = list(dict.fromkeys(scene.things[event.thing].name for event in scene.events if event.kind == kind))
        if not names:
            return f"No, there is nothing that {one} here."
        return f"Yes, {_listed(names)} {one if len(names) == 1 else many} once or more."

    return told


def _sounds(scene: Scene) -> str:
    heard = list(dict.fromkeys(NOISES[sound.noise] for sound in scene.sounds))
    return f"One can hear {', '.join(heard[:-1])} and {heard[-1]}." if len(heard) > 1 else f"One can hear {heard[0]}."


def _metal(scene: Scene) -> str:
    shiny = [thing.name for thing in scene.things if thing.material == "metal"]
    if not shiny:
        return "None of them, they are all made of rubber."
    return f"Only {_listed(shiny)} {'is' if len(shiny) == 1 else 'are'} made of metal."


def _extreme(frame: int, pick: Callable[..., int], side: str) -> Callable[[Scene], str]:
    def told(scene: Scene) -> str:
        number = pick(range(len(scene.things)), key=lambda n: scene.things[n].path[frame][0])
        when = "beginning" if frame == 0 else "end"
        return f"At the {when} the {scene.things[number].name} is farthest to the {side}."

    return told


_GENERAL: tuple[Callable[[Scene], str], ...] = (
    lambda scene: f"There are {_NUMBER[len(scene.things)]} objects on the plane.",
    lambda scene: f"I can see {_listed([thing.name for thing in scene.things], 'a')}.",
    _never,
    _most,
    lambda scene: f"The last thing is that {_tells(scene, scene.events[-1])}.",
    lambda scene: f"There are {_NUMBER[len(scene.events)]} events, one after the other.",
    _doing("fly", "flies", "fly"),
    _doing("rotate", "rotates", "rotate"),
    _sounds,
    lambda scene: "No, the camera stands still all the time.",
    _metal,
    _extreme(-1, min, "left"),
    _extreme(0, max, "right"),
    lambda scene: f"The whole video lasts about {scene.seconds:.1f} seconds.",
)
