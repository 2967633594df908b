"""What does a scene look like? Its frames, ray traced with numpy in a simple perspective, under soft light.

No Django. Same scene, same pixels. Only what moves is traced again from frame to frame.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from collector.catalogue.scenes import HEIGHT, RADIUS, WIDTH, Material, Scene, Shape, Thing

Array = NDArray[np.float32]
Place = tuple[float, float, float, float]

_EYE = np.array([0.0, -10.0, 3.4], np.float32)
_TARGET = np.array([0.0, 0.0, 0.95], np.float32)
_TAN_X = 0.5
_TAN_Y = _TAN_X * HEIGHT / WIDTH
_FINE = 3  # rays a pixel in each direction, where there are objects

_COLOUR: dict[str, tuple[int, int, int]] = {
    "red": (214, 48, 49),
    "green": (46, 160, 82),
    "blue": (45, 98, 214),
    "yellow": (244, 196, 40),
    "purple": (136, 72, 190),
    "orange": (240, 125, 32),
    "cyan": (38, 186, 196),
}
_SKY_LOW, _SKY_HIGH = np.array([0.84, 0.88, 0.92], np.float32), np.array([0.55, 0.68, 0.82], np.float32)
_GROUND = np.array([0.60, 0.57, 0.53], np.float32)  # linear light, as all colours below


def _unit(*values: float) -> Array:
    vector = np.array(values, np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


_LIGHT = _unit(-0.78, -0.5, 1.15)  # towards the lamp: upper left, before the scene
_FILL = _unit(0.8, -0.5, 0.35)
_FORWARD = _unit(*(_TARGET - _EYE))
_RIGHT = _unit(1.0, 0.0, 0.0)
_UP = np.asarray(np.cross(_RIGHT, _FORWARD), np.float32)


def _rays(columns: Array, rows: Array) -> Array:
    """Return unit directions of rays through picture points given in pixels."""
    x = (columns / WIDTH * 2 - 1) * _TAN_X
    y = (1 - rows / HEIGHT * 2) * _TAN_Y
    rays = _FORWARD + x[..., None] * _RIGHT + y[..., None] * _UP
    return np.asarray(rays / np.linalg.norm(rays, axis=-1, keepdims=True), np.float32)


def _project(points: Array) -> Array:
    """Return where world points are seen, in pixels (column, row)."""
    seen = points - _EYE
    depth = seen @ _FORWARD
    column = ((seen @ _RIGHT) / depth / _TAN_X + 1) / 2 * WIDTH
    row = (1 - (seen @ _UP) / depth / _TAN_Y) / 2 * HEIGHT
    return np.stack([column, row], axis=-1).astype(np.float32)


def _smooth(low: float, high: float, value: Array) -> Array:
    t = np.clip((value - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


@lru_cache(maxsize=1)
def _plane() -> tuple[Array, Array, Array]:
    """Return the empty picture in linear light, and of each pixel the x and y it shows on the plane."""
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32) + 0.5
    rays = _rays(columns, rows)
    down = np.minimum(rays[..., 2], -1e-3)
    distance = -_EYE[2] / down
    x, y = _EYE[0] + rays[..., 0] * distance, _EYE[1] + rays[..., 1] * distance
    tile = np.sin(x * np.pi / 1.2) * np.sin(y * np.pi / 1.2)
    tile = np.tanh(tile * 9) * np.clip(1 - distance / 24, 0, 1)
    pool = np.exp(-((x + 0.4) ** 2 / 90 + (y - 0.2) ** 2 / 110))
    ground = _GROUND * (0.60 + 0.46 * pool + 0.018 * tile)[..., None]
    height = np.clip(rays[..., 2] / 0.12, 0, 1)[..., None]
    sky = _SKY_LOW + (_SKY_HIGH - _SKY_LOW) * height
    haze = _smooth(11, 46, distance)[..., None]
    ground = ground + (_SKY_LOW - ground) * haze
    picture = np.where(rays[..., 2:] < -1e-3, ground, sky)
    return picture.astype(np.float32), x.astype(np.float32), y.astype(np.float32)


def _box(low: Array, high: Array, margin: float) -> tuple[slice, slice]:
    """Return the part of the picture that a box in the world takes up: rows, columns."""
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    points = _project(corners.astype(np.float32))
    left, top = np.floor(points.min(axis=0) - margin).astype(int)
    right, bottom = np.ceil(points.max(axis=0) + margin).astype(int)
    return slice(max(0, top), min(HEIGHT, bottom)), slice(max(0, left), min(WIDTH, right))


def _height(shape: Shape, radius: float) -> float:
    return {"cube": 1.6, "sphere": 2.0, "cylinder": 1.9, "cone": 2.2}[shape] * radius


def _shadow(thing: Thing, place: Place) -> tuple[tuple[slice, slice], Array]:
    """Return how dark the plane is under and behind an object: where, and 0 (dark) to 1 (lit)."""
    x, y, z, _ = place
    radius, height = RADIUS[thing.size], _height(thing.shape, RADIUS[thing.size])
    away = -_LIGHT[:2] / _LIGHT[2]
    reach = radius + 1.2 + 0.25 * z
    tip = np.array([x, y]) + away * (z + height)
    low = np.minimum([x, y], tip) - reach
    high = np.maximum([x, y], tip) + reach
    area = _box(np.array([*low, 0.0], np.float32), np.array([*high, 0.0], np.float32), 2)
    _, plane_x, plane_y = _plane()
    px, py = plane_x[area] - x, plane_y[area] - y
    first = z + (radius if thing.shape == "sphere" else 0.0)
    last = z + (radius if thing.shape == "sphere" else height)
    along = (px * away[0] + py * away[1]) / float(away @ away)
    part = np.clip(along, first, last)
    distance = np.hypot(px - part * away[0], py - part * away[1])
    width = np.full_like(distance, radius * (0.95 if thing.shape != "cube" else 0.9))
    if thing.shape == "cone":
        width *= 1 - 0.95 * (part - z) / height
    soft = 0.12 + 0.16 * part + 0.1 * z
    cast = 1 - _smooth(0, 1, ((distance - width + soft) / (2 * soft)).astype(np.float32))
    cast *= 0.62 / (1 + 0.35 * z)
    ambient = 0.5 * np.exp(-((np.hypot(px, py) / (radius * 1.25)) ** 4)) * np.exp(-2.2 * z)
    return area, ((1 - cast) * (1 - ambient)).astype(np.float32)


def _near(hit: NDArray[np.bool_], t: Array, best: Array) -> NDArray[np.bool_]:
    return np.asarray(hit & (t > 0) & (t < best))


def _quadratic(a: Array, b: Array, c: Array) -> tuple[NDArray[np.bool_], Array]:
    """Return where a t^2 + 2 b t + c has a root, and the smaller one."""
    root = b * b - a * c
    hit = root >= 0
    safe = np.where(np.abs(a) < 1e-6, np.float32(1e-6), a)
    s = np.sqrt(np.maximum(root, 0))
    return hit, np.minimum((-b - s) / safe, (-b + s) / safe)


def _trace(shape: Shape, radius: float, origin: Array, rays: Array) -> tuple[Array, Array]:
    """Return how far each ray goes to an object at the origin's foot (infinite: past it), and the surface normals."""
    best = np.full(rays.shape[0], np.inf, np.float32)
    normals = np.zeros_like(rays)
    height = _height(shape, radius)
    dx, dy, dz = rays.T
    ox, oy, oz = origin
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if shape == "cube":
            half = np.array([0.8 * radius, 0.8 * radius, height / 2], np.float32)
            centre = np.array([0, 0, height / 2], np.float32)
            first, second = ((centre - half - origin) / rays, (centre + half - origin) / rays)
            entry = np.minimum(first, second)
            t = entry.max(axis=1)
            hit = _near(t < np.maximum(first, second).min(axis=1), t, best)
            axis = entry.argmax(axis=1)
            best[hit] = t[hit]
            normals[hit, axis[hit]] = -np.sign(rays[hit, axis[hit]])
        elif shape == "sphere":
            up = oz - radius
            b = ox * dx + oy * dy + up * dz
            hit, t = _quadratic(np.ones_like(dx), b, np.full_like(dx, ox * ox + oy * oy + up * up - radius * radius))
            hit = _near(hit, t, best)
            best[hit] = t[hit]
            normals[hit] = (origin - [0, 0, radius] + rays[hit] * t[hit, None]) / radius
        else:
            wide = 0.9 * radius if shape == "cylinder" else radius
            slope = 0.0 if shape == "cylinder" else wide / height
            rest = wide - slope * oz  # the radius at the height of the eye
            a = dx * dx + dy * dy - (slope * dz) ** 2
            b = ox * dx + oy * dy + slope * rest * dz
            hit, t = _quadratic(a, b, np.full_like(dx, ox * ox + oy * oy - rest * rest))
            z = oz + t * dz
            hit = _near(hit & (z >= 0) & (z <= height), t, best)
            best[hit] = t[hit]
            point = origin + rays[hit] * t[hit, None]
            side = np.hypot(point[:, 0], point[:, 1]) + 1e-6
            normals[hit] = np.stack([point[:, 0] / side, point[:, 1] / side, np.full_like(side, slope)], axis=1)
            normals[hit] /= np.hypot(1.0, slope)
            if shape == "cylinder":
                t = (height - oz) / dz
                hit = _near((ox + t * dx) ** 2 + (oy + t * dy) ** 2 <= wide * wide, t, best)
                best[hit] = t[hit]
                normals[hit] = [0, 0, 1]
    return best, normals


def _surroundings(directions: Array) -> Array:
    """Return what a mirror sees in a direction: plane, haze, sky and a large soft lamp."""
    z = directions[:, 2:]
    sky = _SKY_LOW * 0.75 + (_SKY_HIGH * 0.5 - _SKY_LOW * 0.75) * np.clip(z, 0, 1)
    ground = _GROUND * (0.25 + 0.5 * np.clip(1 + z, 0, 1))
    seen = np.where(z > 0, sky, ground)
    seen = seen + (sky - seen) * _smooth(-0.12, 0.05, z.astype(np.float32))
    lamp = _smooth(0.86, 0.97, (directions @ _LIGHT).astype(np.float32))[:, None]
    strip = _smooth(0.9, 0.97, (directions @ _FILL).astype(np.float32))[:, None]
    return np.asarray(seen + 1.9 * lamp + 0.5 * strip, np.float32)


def _pattern(shape: Shape, local: Array) -> Array:
    """Return the painted marks of an object: lighter gores on round ones, so that one sees them turn."""
    if shape == "cube":
        return np.zeros(local.shape[0], np.float32)
    around = np.arctan2(local[:, 1], local[:, 0])
    return np.asarray(_smooth(-0.06, 0.06, np.sin(3 * around).astype(np.float32)) * 0.34, np.float32)


def _shade(material: Material, colour: Array, normals: Array, rays: Array, low: Array) -> Array:
    """Return the light that surface points send to the eye. ``low`` is their height above the plane, in metres."""
    lit = np.clip(normals @ _LIGHT, 0, 1)[:, None]
    fill = np.clip(normals @ _FILL, 0, 1)[:, None]
    up = normals[:, 2:] * 0.5 + 0.5
    ambient = 0.20 + 0.26 * up
    contact = (0.55 + 0.45 * _smooth(0.0, 0.55, low))[:, None]
    mirrored = rays - 2 * (rays * normals).sum(axis=1, keepdims=True) * normals
    shine = np.clip(mirrored @ _LIGHT, 0, 1)[:, None]
    edge = (1 - np.clip(-(rays * normals).sum(axis=1, keepdims=True), 0, 1)) ** 4
    if material == "metal":
        seen = _surroundings(mirrored)
        tint = colour * 1.15 + 0.06
        light = colour * (0.42 * lit + 0.45 * ambient) * contact
        light = light + 0.78 * seen * (tint + (1 - tint) * edge * 0.8) * (0.35 + 0.65 * contact)
        return np.asarray(light + 0.9 * shine**60, np.float32)
    light = colour * (0.95 * lit + 0.16 * fill + ambient * 0.95) * contact
    return np.asarray(light + 0.07 * shine**10 + 0.08 * edge * up, np.float32)


def _patch(thing: Thing, place: Place) -> tuple[tuple[slice, slice], Array, Array]:
    """Return an object as it is seen: where, its light (already times coverage) and its coverage."""
    x, y, z, angle = place
    radius, height = RADIUS[thing.size], _height(thing.shape, RADIUS[thing.size])
    reach = radius * 1.15
    low, high = np.array([x - reach, y - reach, z]), np.array([x + reach, y + reach, z + height])
    area = _box(low.astype(np.float32), high.astype(np.float32), 1)
    rows, columns = ((np.arange(s.start * _FINE, s.stop * _FINE) + 0.5) / _FINE for s in area)
    across, down = np.meshgrid(columns.astype(np.float32), rows.astype(np.float32))
    rays = _rays(across, down).reshape(-1, 3)
    # The object stands still and the world turns around it: a quarter off, so that no face looks straight at the eye.
    turn = np.radians(angle + 28)
    c, s = np.float32(np.cos(turn)), np.float32(np.sin(turn))
    to_local = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]], np.float32)
    origin = to_local @ (_EYE - np.array([x, y, z], np.float32))
    distance, normals = _trace(thing.shape, radius, origin, rays @ to_local.T)
    hit = np.isfinite(distance)
    light = np.zeros_like(rays)
    local = origin + (rays[hit] @ to_local.T) * distance[hit, None]
    base = (np.array(_COLOUR[thing.colour], np.float32) / 255) ** np.float32(2.2)
    mark = _pattern(thing.shape, local)[:, None]
    colour = (base + (1 - base) * mark * 0.55).astype(np.float32)
    light[hit] = _shade(
        thing.material, colour, normals[hit] @ to_local, rays[hit], (local[:, 2] + z).astype(np.float32)
    )
    shape = (len(rows) // _FINE, _FINE, len(columns) // _FINE, _FINE)
    cover = hit.astype(np.float32).reshape(shape).mean(axis=(1, 3))[..., None]
    # Brightest first cut off, then averaged: else a highlight's edge is jagged.
    picture = np.clip(light, 0, 1.15).reshape(*shape, 3).mean(axis=(1, 3))
    return area, picture.astype(np.float32), cover


_TO_SCREEN = (np.clip(np.linspace(0, 1, 4096), 0, 1) ** (1 / 2.2) * 255 + 0.5).astype(np.uint8)


def pictures(scene: Scene) -> Iterator[NDArray[np.uint8]]:
    """Yield every frame as HEIGHT x WIDTH x 3 bytes of RGB."""
    kept: dict[int, tuple[Place, tuple[tuple[slice, slice], Array], tuple[tuple[slice, slice], Array, Array]]] = {}
    shown: list[Place] = []
    bytes_ = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for frame in range(scene.frames):
        places = [thing.path[frame] for thing in scene.things]
        if places != shown:
            for number, (thing, place) in enumerate(zip(scene.things, places, strict=True)):
                if number not in kept or kept[number][0] != place:
                    kept[number] = (place, _shadow(thing, place), _patch(thing, place))
            picture = _plane()[0].copy()
            for _, (area, dark), _ in kept.values():
                picture[area] *= dark[..., None]
            for _, _, (area, light, cover) in sorted(kept.values(), key=lambda one: -one[0][1]):
                picture[area] = picture[area] * (1 - cover) + light
            bytes_ = _TO_SCREEN[(np.clip(picture, 0, 1) * 4095).astype(np.uint16)]
            shown = places
        yield bytes_
