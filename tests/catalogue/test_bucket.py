"""Are videos and frames in a bucket imported, served and missed as those on the disk are?"""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from django.conf import LazySettings
from django.core.files.base import ContentFile
from django.core.management import CommandError
from django.test import AsyncClient
from django.urls import reverse
from django.utils.module_loading import import_string

from chat.models import Role, Seat
from collector import environment
from collector.catalogue import media
from collector.catalogue.bucket import BucketAway
from collector.catalogue.bucket import bucket as own_bucket
from collector.catalogue.models import Frame, Video
from collector.catalogue.storing import on_disk
from collector.desk.preflight import videos as preflight
from collector.operations import backups, health, stored
from collector.studies.admission import token_of
from tests import factories
from tests.catalogue import clips
from tests.catalogue.test_importing import entry, files, manifest, run
from tests.moto import Moto

pytestmark = pytest.mark.django_db(transaction=True)
CONTENT = bytes(range(256)) * 40


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: LazySettings, bucket: Moto) -> None:
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "media", tmp_path


@pytest.fixture
def videos(tmp_path: Path) -> Path:
    folder = tmp_path / "videos"
    folder.mkdir()
    clips.write(folder / "AAAA1.mp4", clips.bars(10), sound=clips.tone)
    return folder


def away(settings: Any) -> None:
    """Let the bucket be where nobody listens."""
    default = settings.STORAGES["default"]
    options = default["OPTIONS"] | {"endpoint_url": "http://127.0.0.1:1"}
    settings.STORAGES = settings.STORAGES | {"default": default | {"OPTIONS": options}}


def named() -> set[str]:
    return {name for model in (Video, Frame) for name in model.objects.values_list("file", flat=True)}


def test_an_import_writes_into_the_bucket_and_nothing_onto_the_disk(
    videos: Path, bucket: Moto, settings: LazySettings
) -> None:
    source = manifest(videos, entry("AAAA1"))
    run(source, videos)
    assert bucket.names() == named()
    assert len(named()) == 4
    assert files(settings.MEDIA_ROOT) == set()
    video = Video.objects.get()
    with on_disk(str(video.file.name)) as path:
        assert path.read_bytes() == (videos / "AAAA1.mp4").read_bytes()
    run(source, videos)
    assert bucket.names() == named()
    bucket.client().delete_object(Bucket=bucket.bucket, Key=video.frames.all()[0].file.name)
    run(source, videos)
    assert bucket.names() == named(), "a lost frame is made again, and what it replaces is gone"
    assert len(named()) == 4


def test_a_bucket_that_is_away_or_locked_is_a_sentence_and_nothing_is_imported(videos: Path, settings: Any) -> None:
    away(settings)
    with pytest.raises(CommandError, match=r"The bucket media cannot be reached .*MEDIA_S3_ENDPOINT.*Nothing was"):
        run(manifest(videos, entry("AAAA1")), videos)
    assert not Video.objects.exists()


def test_a_bucket_that_is_not_there_is_told(bucket: Moto) -> None:
    client = bucket.client()
    client.delete_bucket(Bucket=bucket.bucket)
    with pytest.raises(BucketAway, match="is not there: make it, or correct MEDIA_S3_BUCKET"):
        own_bucket().ask()


@pytest.fixture
def tokens() -> dict[str, str]:
    """The tokens of a dialog's workers by role."""
    video = factories.video()
    video.file.save("v.mp4", ContentFile(CONTENT))
    for slot in (1, 2, 3):
        frame = Frame(video=video, slot=slot, seconds=0, width=1, height=1)
        frame.file.save(f"f{slot}.jpg", ContentFile(b"jpeg %d" % slot))
    dialog = factories.dialog(video=video, study=factories.study())
    return {str(seat.role): token_of(seat.participation) for seat in Seat.objects.filter(dialog=dialog)}


async def got(token: str, path: str, method: str = "get", **headers: str) -> tuple[Any, bytes]:
    response: Any = await getattr(AsyncClient(), method)(f"/w/{token}/1/{path}", headers=headers)
    body = b"".join([piece async for piece in response]) if response.streaming else response.content
    return response, body


async def test_each_role_gets_its_own_media_in_ranges_and_not_the_others(
    tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media, "PART", 1000)
    questioner, answerer = tokens[Role.QUESTIONER], tokens[Role.ANSWERER]
    response, body = await got(answerer, "video")
    assert (response.status_code, body, response["Content-Type"]) == (200, CONTENT, "video/mp4")
    assert (response["Accept-Ranges"], response["Content-Length"]) == ("bytes", str(len(CONTENT)))
    response, body = await got(answerer, "video", range="bytes=900-3100")
    assert (response.status_code, body) == (206, CONTENT[900:3101])
    assert response["Content-Range"] == f"bytes 900-3100/{len(CONTENT)}"
    assert (await got(answerer, "video", range="bytes=-5"))[1] == CONTENT[-5:]
    assert (await got(answerer, "video", range=f"bytes={len(CONTENT)}-"))[0].status_code == 416
    assert (await got(answerer, "video", "head"))[1] == b""
    assert [(await got(questioner, f"frame/{slot}"))[1] for slot in (1, 2, 3)] == [b"jpeg 1", b"jpeg 2", b"jpeg 3"]
    for token, path in ((questioner, "video"), (answerer, "frame/1"), ("1-1.forged", "video")):
        response, body = await got(token, path)
        assert (response.status_code, b"jpeg" in body) == (403, False)


async def test_what_is_not_in_the_bucket_is_a_sentence(tokens: dict[str, str], bucket: Moto, settings: Any) -> None:
    for name in bucket.names():
        bucket.client().delete_object(Bucket=bucket.bucket, Key=name)
    response, body = await got(tokens[Role.ANSWERER], "video")
    assert (response.status_code, body) == (404, b"This file is not there.")
    away(settings)
    response, body = await got(tokens[Role.ANSWERER], "video")
    assert (response.status_code, b"Load the page again" in body) == (503, True)


async def test_a_link_leads_to_one_object_for_a_short_time(tokens: dict[str, str], settings: Any) -> None:
    settings.MEDIA_S3_PROXY, settings.MEDIA_S3_LINK_SECONDS = False, 90
    response, _ = await got(tokens[Role.ANSWERER], "video")
    assert (response.status_code, response["Cache-Control"]) == (302, "no-store")
    link = response["Location"]
    asked = parse_qs(urlsplit(link).query)
    assert asked["X-Amz-Expires"] == ["90"]
    assert asked["X-Amz-SignedHeaders"] == ["host"]
    async with httpx.AsyncClient() as http:
        part = await http.get(link, headers={"Range": "bytes=5-9"})
    assert (part.status_code, part.content, part.headers["content-type"]) == (206, CONTENT[5:10], "video/mp4")
    other, _ = await got(tokens[Role.QUESTIONER], "video")
    assert (other.status_code, "Location" in other) == (403, False)
    settings.MEDIA_S3_LINK_SECONDS = 91
    later = parse_qs(urlsplit((await got(tokens[Role.ANSWERER], "video"))[0]["Location"]).query)
    assert later["X-Amz-Signature"] != asked["X-Amz-Signature"], "the life of a link is signed with it"


@pytest.mark.parametrize("endpoint", ["https://store.example.org:9000", ""])
@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1"])
def test_links_lead_where_the_pages_policy_lets_them(
    monkeypatch: pytest.MonkeyPatch, endpoint: str, region: str
) -> None:
    monkeypatch.setenv("MEDIA_S3_ENDPOINT", endpoint)
    monkeypatch.setenv("MEDIA_S3_REGION", region)
    options = environment.bucket()
    link = import_string("collector.catalogue.bucket.Bucket")(**options).link("videos/a.mp4", "video/mp4", "GET", 5)
    assert any(link.startswith(f"{origin}/") for origin in environment.origins(options)), link


def test_a_researcher_gets_it_too(tokens: dict[str, str], admin_client: Any) -> None:
    answer = admin_client.get(reverse("catalogue-file", args=["frame", Frame.objects.get(slot=2).pk]))
    assert (answer.status_code, answer["Content-Length"], answer["Content-Type"]) == (200, "6", "image/jpeg")


def test_readiness_and_preflight_say_how_the_bucket_is(videos: Path, bucket: Moto, settings: Any) -> None:
    run(manifest(videos, entry("AAAA1")), videos)
    video = Video.objects.get()
    assert {each.name: each.is_good for each in health.all_checks()}["bucket"]
    assert "Its index stands at the end" in preflight._file(video).says
    bucket.client().delete_object(Bucket=bucket.bucket, Key=video.frames.all()[0].file.name)
    assert preflight._file(video).says == "The files of its frames are not there."
    bucket.client().delete_object(Bucket=bucket.bucket, Key=video.file.name)
    assert "is not in the bucket media" in preflight._file(video).says
    away(settings)
    (check,) = [each for each in health.all_checks() if each.name == "bucket"]
    assert not check.is_good
    assert "MEDIA_S3_ENDPOINT" in check.sentence
    assert "cannot be reached" in preflight._file(video).says


def test_a_backup_lists_what_is_in_the_bucket_or_copies_it(videos: Path, bucket: Moto, tmp_path: Path) -> None:
    run(manifest(videos, entry("AAAA1")), videos)
    before, video = bucket.names(), Video.objects.get()
    stored.write_list(tmp_path / stored.LIST)
    assert f'"sha256": "{video.checksum}"' in (tmp_path / stored.LIST).read_text()
    stored.check(tmp_path / stored.LIST)
    stored.fetch(tmp_path / "copies")
    assert files(tmp_path / "copies") == before
    bucket.empty()
    with pytest.raises(stored.Lost, match="4 of 4 videos and frames are not in the bucket"):
        stored.check(tmp_path / stored.LIST)
    stored.put(tmp_path / "copies")
    assert bucket.names() == before
    stored.check(tmp_path / stored.LIST)


def test_a_backup_is_restored_into_the_bucket_and_what_belongs_on_the_disk_there(
    videos: Path, bucket: Moto, tmp_path: Path, settings: LazySettings
) -> None:
    run(manifest(videos, entry("AAAA1")), videos)
    before, backup = bucket.names(), tmp_path / "backup"
    (backup / "media" / "exports").mkdir(parents=True)
    (backup / "media" / "exports" / "a.json").write_text("{}")
    stored.fetch(backup / "media")
    bucket.empty()
    backups._restore_media(backup)
    assert (bucket.names(), files(settings.MEDIA_ROOT)) == (before, {"exports/a.json"})
    stored.write_list(backup / stored.LIST)
    settings.MEDIA_STORAGE = "disk"
    with pytest.raises(backups.CannotRestore, match="MEDIA_STORAGE=s3"):
        backups._restore_media(backup)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("MEDIA_S3_BUCKET", "", "needs MEDIA_S3_BUCKET"), ("MEDIA_S3_ENDPOINT", "store", "does not start with http")],
)
def test_what_cannot_be_used_stops_the_start(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, words: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Exception, match=words):
        environment.bucket()
