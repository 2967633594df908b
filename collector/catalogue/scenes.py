"""What happens in a sample video? A seeded description of a small scene, from which picture, sound and script are made.

Plain Python. Positions are in metres on a plane seen from the front: x grows to the right, y to the back, z upwards;
angles are in degrees around the vertical. Actions follow one another and never overlap.
"""

import math
import random
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import msgspec

from collector.lib.marking import gettext_noop

FPS = 25
WIDTH, HEIGHT = 640, 360

Shape = Literal["cube", "sphere", "cylinder", "cone"]
Size = Literal["small", "medium", "large"]
Material = Literal["metal", "rubber"]
Kind = Literal["slide", "rotate", "fly"]
Direction = Literal["left", "right", "front", "back", ""]
Noise = Literal["whoosh", "whirr", "chime", "thud"]

SHAPES: tuple[Shape, ...] = ("cube", "sphere", "cylinder", "cone")
SIZES: tuple[Size, ...] = ("small", "medium", "large")
MATERIALS: tuple[Material, ...] = ("metal", "rubber")
COLOURS = ("red", "green", "blue", "yellow", "purple", "orange", "cyan")
KINDS: tuple[Kind, ...] = ("slide", "rotate", "fly")
RADIUS: dict[Size, float] = {"small": 0.42, "medium": 0.6, "large": 0.74}
STEP: dict[Direction, tuple[float, float]] = {
    "left": (-1.0, 0.0),
    "right": (1.0, 0.0),
    "front": (0.0, -1.0),
    "back": (0.0, 1.0),
}
NOISES: dict[Noise, str] = {
    "whoosh": gettext_noop("a soft whoosh of air"),
    "whirr": gettext_noop("a low humming whirr"),
    "chime": gettext_noop("a tone that rises and falls"),
    "thud": gettext_noop("a dull thud"),
}
"""What each noise sounds like, in words."""
SAMPLES = {"SCN01": 11, "SCN02": 25, "SCN03": 32, "SCN04": 47, "SCN05": 53, "SCN06": 68}
"""The ids of the samples (five of [0-9A-Z], as some readers of datasets need) and their seeds."""
MOST = 99
"""Samples that there are ids for."""

_X, _Y = (-3.1, 3.1), (-2.2, 2.4)  # where objects stand and stay in the picture
_FLIGHT = 1.3  # metres above the plane, at the top


@dataclass(frozen=True)
class Thing:
    """One object. ``path`` holds x, y, z of its foot and its angle at each frame."""

    shape: Shape
    size: Size
    material: Material
    colour: str
    path: list[tuple[float, float, float, float]]

    @property
    def name(self) -> str:
        """How the script calls it; nothing else in the scene has this name, nor this colour."""
        return f"{self.size} {self.colour} {self.shape}"


@dataclass(frozen=True)
class Event:
    """One action of one object, from its first to its last frame of motion."""

    thing: int
    kind: Kind
    direction: Direction
    start: int
    end: int


@dataclass(frozen=True)
class Sound:
    """One noise, from its first to its last frame."""

    noise: Noise
    start: int
    end: int


@dataclass(frozen=True)
class Scene:
    """All there is to know about a sample video."""

    seed: int
    fps: int
    frames: int
    things: list[Thing]
    events: list[Event]
    sounds: list[Sound]

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return self.frames / self.fps


def to_json(scene: Scene) -> dict[str, Any]:
    """Return the scene as it is kept with its video."""
    return dict(msgspec.to_builtins(scene))


def from_json(data: object) -> Scene:
    """Return the scene kept with a video. Raises msgspec.ValidationError when it is none."""
    return msgspec.convert(data, Scene)


def script_of(scene: Scene) -> str:
    """Return what happens, in order, one sentence an event."""
    sentences = []
    for number, event in enumerate(scene.events):
        clause = f"{'Then the' if number else 'The'} {scene.things[event.thing].name} {does(event)}"
        sentences.append(clause + ".")
    return " ".join(sentences)


def does(event: Event) -> str:
    """Return the verb with where to: "slides to the left"."""
    if event.kind == "rotate":
        return "rotates on the spot"
    if event.kind == "slide":
        return f"slides to the {event.direction}"
    return f"flies through the air to the {event.direction}"


def make_scene(seed: int) -> Scene:
    """Return the scene of a seed: four or five objects, four or five events, 6 to 10 seconds. Same seed, same scene."""
    rng = random.Random(seed)
    while True:  # a crowded start may leave no room for an event; the next draw of the same generator has some
        made = _Stage(rng).play(rng.choice((4, 5, 5)))
        if made is not None:
            things, events, frames = made
            return Scene(seed, FPS, frames, things, events, _sounds(events))


def samples(number: int) -> dict[str, int]:
    """Return ids and seeds of so many samples, at most ``MOST``: the six, and then others."""
    more = {f"SCN{each:02}": 1000 + each for each in range(len(SAMPLES) + 1, number + 1)}
    return dict(islice((SAMPLES | more).items(), number))


def _sounds(events: list[Event]) -> list[Sound]:
    noise: dict[Kind, Noise] = {"slide": "whoosh", "rotate": "whirr", "fly": "chime"}
    sounds = []
    for event in events:
        sounds.append(Sound(noise[event.kind], event.start, event.end))
        if event.kind == "fly":
            sounds.append(Sound("thud", event.end, event.end + 8))
    return sounds


@dataclass
class _Actor:
    """An object while its path is being made."""

    shape: Shape
    size: Size
    material: Material
    colour: str
    spot: tuple[float, float]
    path: list[tuple[float, float, float, float]]

    @property
    def radius(self) -> float:
        return RADIUS[self.size]


class _Stage:
    """Where a scene is made: objects on free spots, then one event after the other."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.actors: list[_Actor] = []
        shapes = [*SHAPES, rng.choice(SHAPES)]
        colours = rng.sample(COLOURS, len(shapes))
        sizes = [*SIZES, *rng.choices(SIZES, k=2)]
        rng.shuffle(shapes)
        rng.shuffle(sizes)
        for shape, size, colour in list(zip(shapes, sizes, colours, strict=True))[: rng.choice((4, 5))]:
            actor = _Actor(shape, size, rng.choice(MATERIALS), colour, (0.0, 0.0), [])
            actor.spot = self._free_spot(actor)
            self.actors.append(actor)

    def play(self, count: int) -> tuple[list[Thing], list[Event], int] | None:
        """Return objects with paths, events and the number of frames; None when there is no room for an event."""
        if any(math.isinf(actor.spot[0]) for actor in self.actors):
            return None
        self._rest(self.rng.randint(16, 20))
        events: list[Event] = []
        kinds = [*self.rng.sample(KINDS, 3), *self.rng.choices(KINDS, k=count)][:count]
        for kind in kinds:
            event = self._act(kind, events)
            if event is None:
                return None
            events.append(event)
            self._rest(self.rng.randint(5, 9))
        self._rest(self.rng.randint(10, 14))
        things = [Thing(a.shape, a.size, a.material, a.colour, a.path) for a in self.actors]
        return things, events, len(self.actors[0].path)

    def _free_spot(self, actor: _Actor) -> tuple[float, float]:
        for _ in range(300):
            spot = (self.rng.uniform(*_X), self.rng.uniform(*_Y))
            if self._is_free(actor, spot):
                return spot
        return (math.inf, math.inf)

    def _is_free(self, actor: _Actor, spot: tuple[float, float]) -> bool:
        """Tell whether there is room at a spot, and the objects do not hide one another much."""
        if not (_X[0] <= spot[0] <= _X[1] and _Y[0] <= spot[1] <= _Y[1]):
            return False
        for other in self.actors:
            if other is actor:
                continue
            reach = actor.radius + other.radius
            # Perspective draws what is far towards the middle: compare where they are seen, at the depth of y = 0.
            seen = abs(spot[0] * 10 / (10 + spot[1]) - other.spot[0] * 10 / (10 + other.spot[1]))
            if math.dist(spot, other.spot) < reach + 0.35 or seen < 0.8 * reach:
                return False
        return True

    def _is_clear(self, actor: _Actor, goal: tuple[float, float]) -> bool:
        """Tell whether an object can slide to a goal without touching another."""
        for step in range(21):
            x, y = (a + (b - a) * step / 20 for a, b in zip(actor.spot, goal, strict=True))
            for other in self.actors:
                near = actor.radius + other.radius + 0.15
                if other is not actor and math.dist((x, y), other.spot) < near:
                    return False
        return True

    def _act(self, kind: Kind, events: list[Event]) -> Event | None:
        """Let some object do something it has not done yet; not the one that has just moved."""
        for _ in range(300):
            number = self.rng.randrange(len(self.actors))
            direction: Direction = "" if kind == "rotate" else self.rng.choice(list(STEP))
            if events and events[-1].thing == number:
                continue
            if any((e.thing, e.kind, e.direction) == (number, kind, direction) for e in events):
                continue
            goal = self._goal(self.actors[number], direction, kind)
            if goal is not None:
                start = len(self.actors[0].path)
                frames = self.rng.randint(28, 36)
                self._move(self.actors[number], kind, goal, frames)
                return Event(number, kind, direction, start, start + frames - 1)
        return None

    def _goal(self, actor: _Actor, direction: Direction, kind: Kind) -> tuple[float, float] | None:
        if not direction:
            return actor.spot
        length, (dx, dy) = self.rng.uniform(1.5, 3.6), STEP[direction]
        goal = (actor.spot[0] + dx * length, actor.spot[1] + dy * length)
        if not self._is_free(actor, goal) or (kind == "slide" and not self._is_clear(actor, goal)):
            return None
        return goal

    def _rest(self, frames: int) -> None:
        for actor in self.actors:
            last = actor.path[-1] if actor.path else (round(actor.spot[0], 3), round(actor.spot[1], 3), 0.0, 0.0)
            actor.path.extend([last] * frames)

    def _move(self, actor: _Actor, kind: Kind, goal: tuple[float, float], frames: int) -> None:
        (x0, y0), (x1, y1) = actor.spot, goal
        angle = actor.path[-1][3]
        for frame in range(1, frames + 1):
            t = frame / frames
            eased = t * t * (3 - 2 * t)
            z = _FLIGHT * math.sin(math.pi * eased) if kind == "fly" and frame < frames else 0.0
            turn = 360 * eased if kind == "rotate" else 0.0
            x, y = x0 + (x1 - x0) * eased, y0 + (y1 - y0) * eased
            actor.path.append((round(x, 3), round(y, 3), round(z, 3), round(angle + turn, 3)))
        actor.spot = goal
        for other in self.actors:
            if other is not actor:
                other.path.extend([other.path[-1]] * frames)
