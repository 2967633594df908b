"""Take every page down in every state: ``make gallery``, or ``python -m tests.gallery [parts]``.

The pictures and their index go to ``test-results/gallery``, or to the folder that ``GALLERY`` names. The exit code is 1
when anything was found: by axe, in the console, in what was asked for, at the side of a page, in how it moves.
"""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import django
from playwright.sync_api import expect, sync_playwright

from tests import machine, services
from tests.e2e.workers import RESULTS
from tests.gallery import sheet
from tests.gallery.camera import Camera
from tests.product import Product, environment

PARTS = ("entering", "talking", "languages", "alone", "market", "desk", "studies", "people")
"""In this order: who comes later looks at what was done before."""


def main() -> int:
    """Play all scenes and write the index; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all without any")
    asked = parser.parse_args().parts
    if unknown := set(asked) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    chromium = machine.chromium()
    if chromium is None:
        parser.error("Chromium is not installed (apt install chromium)")
    folder = Path(os.environ.get("GALLERY") or RESULTS / "gallery")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    expect.set_options(timeout=30_000)
    with tempfile.TemporaryDirectory() as var_dir, sync_playwright() as playwright:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "collector.settings", "VAR_DIR": var_dir}
        django.setup()  # scenes read the tables of what is said
        product = start(Path(var_dir))
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=machine.CHROMIUM_ARGS)
            camera = Camera(browser, product, folder)
            for part in asked or PARTS:
                for scene in importlib.import_module(f"tests.gallery.{part}").SCENES:
                    camera.scene(scene)
            browser.close()
        finally:
            product.stop()
    index = sheet.write(camera.states, folder)
    found = sum(len(each.findings) for each in camera.states)
    print(f"{len(camera.states)} states, {found} findings: {index}")
    return 1 if found else 0


def start(var_dir: Path) -> Product:
    """Start the product as `make run` does, with all its processes."""
    port = services.free_port()
    product = Product(var_dir, environment(var_dir, PORT=str(port)), port=port, is_whole=True)
    product.prepare()
    product.start()
    return product


if __name__ == "__main__":
    sys.exit(main())
