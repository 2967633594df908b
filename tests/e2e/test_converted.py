"""Does a real browser play what was converted: the length, the shape and the colours that the source had?"""

import base64
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from collector.catalogue.transcoding import transcode
from tests.catalogue import clips

LEFT, RIGHT = (200, 40, 30), (30, 60, 190)
LOOK = """async address => {
    const video = document.createElement("video");
    video.src = address;
    document.body.append(video);
    await new Promise((done, failed) => {
        video.onloadeddata = done;
        video.onerror = () => failed(video.error.message);
    });
    await video.play();
    video.pause();
    const shown = new Promise(done => {
        const look = (_, frame) => frame.mediaTime > 2 ? done(frame.mediaTime) : video.requestVideoFrameCallback(look);
        video.requestVideoFrameCallback(look);
    });
    video.currentTime = 2.25;
    const at = await shown;
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const picture = canvas.getContext("2d");
    picture.drawImage(video, 0, 0);
    const colour = x => [...picture.getImageData(x * canvas.width, canvas.height / 2, 1, 1).data].slice(0, 3);
    const size = [canvas.width, canvas.height];
    return { at, size, seconds: video.duration, left: colour(0.25), right: colour(0.75) };
}"""


def test_chromium_plays_what_was_converted_in_its_shape_and_colours(page: Page, tmp_path: Path) -> None:
    """10 bits, pixels of 4:3, pictures at uneven times, a codec that no browser knows."""
    first, later = np.zeros((96, 96, 3), np.uint8), np.zeros((96, 96, 3), np.uint8)
    later[:, :48], later[:, 48:] = LEFT, RIGHT
    pictures = [first] * 5 + [later] * 5
    source = clips.write(
        tmp_path / "a.mkv", pictures, codec="libx265", pixels="yuv420p10le", aspect=Fraction(4, 3),
        times=lambda index: (0, 30, 50, 90, 120, 200, 210, 260, 300, 310)[index], sound=clips.tone,
    )  # fmt: skip
    transcode(source, tmp_path / "a.mp4", 1, lambda seconds: None)
    content = base64.b64encode((tmp_path / "a.mp4").read_bytes()).decode()
    page.goto("about:blank")
    seen = page.evaluate(LOOK, f"data:video/mp4;base64,{content}")
    assert seen["size"] == [128, 96]
    assert seen["at"] == pytest.approx(2.1, abs=0.01), "the picture that is shown at that time in the source"
    assert seen["seconds"] == pytest.approx(3.2, abs=0.12)
    assert np.abs(np.subtract(seen["left"], LEFT)).max() <= 14, seen
    assert np.abs(np.subtract(seen["right"], RIGHT)).max() <= 14, seen
