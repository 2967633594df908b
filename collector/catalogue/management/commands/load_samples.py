"""Render sample videos and keep them in the catalogue; those that are there are left as they are."""

import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.progress import track

from collector.catalogue.models import Video
from collector.catalogue.scenes import MOST, SAMPLES, Scene, make_scene, samples, script_of, to_json


class Command(BaseCommand):
    """What a first run can talk about without a download."""

    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the number."""
        parser.add_argument("--number", type=int, default=len(SAMPLES), help="how many there are to be (6; 99 at most)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Render on all cores what is missing; with nothing missing, import nothing and return at once."""
        if not 1 <= options["number"] <= MOST:
            raise CommandError(f"--number takes 1 to {MOST}.")
        wanted = samples(options["number"])
        there = set(Video.objects.filter(image_id__in=wanted).values_list("image_id", flat=True))
        missing = {image_id: make_scene(seed) for image_id, seed in wanted.items() if image_id not in there}
        if missing:
            with tempfile.TemporaryDirectory(prefix="samples-") as folder:
                self._render(missing, Path(folder))

    def _render(self, scenes: dict[str, Scene], folder: Path) -> None:
        from collector.catalogue.rendering import render

        # One thread a process: numpy's own would fight over the cores. It is read when numpy is loaded.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # Fresh processes: a fork would share this one's database connection.
        with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("spawn")) as pool:
            running = {pool.submit(render, scene, folder / f"{name}.mp4"): name for name, scene in scenes.items()}
            for future in track(as_completed(running), "Rendering sample videos", total=len(running)):
                future.result()
                name = running[future]
                self._store(name, scenes[name], folder / f"{name}.mp4")

    def _store(self, image_id: str, scene: Scene, path: Path) -> None:
        from collector.catalogue.storing import store_video

        store_video(
            image_id,
            path,
            script=script_of(scene),
            split="train",
            length=scene.seconds,
            licence="CC0",
            is_publishable=True,
            metadata={"source": "rendered sample"},
            scene=to_json(scene),
        )
