"""A bundle names nobody, and a person has decided about what may tell who wrote a text."""

from pathlib import Path

import pyarrow.parquet
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError

from chat.models import Utterance
from collector.exports import personal
from collector.releases import data
from collector.releases.models import Release
from collector.studies.models import Participation, Study, Worker
from hits.models import Assignment, Hit
from tests.releases.conftest import read, release

pytestmark = pytest.mark.django_db


def test_no_id_of_any_kind_is_in_any_file(
    talks: Study, sums: Study, through_hits: None, written: None, out: Path
) -> None:
    everything = "dstc7,dstc10,raw,jsonl,parquet,huggingface"
    release(out, "--study", "talks", "--study", "sums", "--with-evidence", "--formats", everything)
    parts = Participation.objects.all()
    tokens = [str(dialog) for dialog in Utterance.objects.values_list("key", flat=True)]
    ids = [
        *Worker.objects.values_list("external_id", flat=True),
        *Hit.objects.values_list("external_id", flat=True),
        *Assignment.objects.values_list("external_id", flat=True),
        *parts.exclude(completion_code="").values_list("completion_code", flat=True),
        *tokens,
        "reviewer-of-9",
    ]
    assert {"A2EXAMPLEWORKER7", "3HITEXAMPLE00000001", "3ASSIGNMENTEXAMPLE1"} <= set(ids)
    texts = {name: content for name, content in read(out).items() if not name.endswith(".parquet")}
    for path in out.rglob("*.parquet"):
        texts[path.name] = repr(pyarrow.parquet.read_table(path).to_pylist()).encode()
    assert len(texts) > 15
    found = [
        (name, each) for name, content in texts.items() for each in ids if each.lower().encode() in content.lower()
    ]
    assert found == []


@pytest.mark.parametrize(
    ("form", "text", "what"),
    [
        ("raw", "Yes, my worker id is a2exampleworker7.", "the id of worker"),
        ("parquet", "It is 3HITEXAMPLE00000001, I accepted it.", "the id of HIT"),
        ("dstc7", "It says (3ASSIGNMENTEXAMPLE1) over the video.", "the id of assignment"),
    ],
)
def test_an_id_that_somebody_typed_stops_the_release(
    talks: Study, through_hits: None, out: Path, form: str, text: str, what: str
) -> None:
    Utterance.objects.filter(dialog=900_102, position=1).update(text=text)
    with pytest.raises(CommandError, match=rf"{form}_val.* holds {what} \d+: somebody wrote it into a text") as refused:
        release(out, "--study", "talks", "--formats", form, "--with-undecided")
    assert "EXAMPLE" not in str(refused.value).upper(), "an id is in no message either"
    assert not out.exists()
    assert not Release.objects.exists()


def test_what_looks_personal_is_decided_first_and_redacted(talks: Study, out: Path, tmp_path: Path) -> None:
    Utterance.objects.filter(dialog=900_101, position=1).update(text="Yes, write to ada@example.org or 555-123-4567.")
    with pytest.raises(CommandError, match=rf"2 parts of texts .* Decide at /desk/studies/{talks.pk}/personal/ .*"):
        release(out, "--study", "talks", "--formats", "raw")
    assert not Release.objects.exists()
    release(out, "--study", "talks", "--formats", "raw", "--with-undecided")
    assert "**About 2 finds no person had decided when this was released.**" in (out / "DATASHEET.md").read_text()
    mail, phone = personal.undecided([talks])
    somebody = User.objects.create(username="somebody")
    personal.decide(mail.key, somebody, redact=True)
    personal.decide(phone.key, somebody, redact=False)
    release(tmp_path / "again", "--study", "talks", "--formats", "raw")
    text = (tmp_path / "again" / data.place("raw", "train")).read_text()
    assert "Yes, write to [e-mail address] or 555-123-4567." in text
    sheet = (tmp_path / "again/DATASHEET.md").read_text()
    assert "Redacted: 1 part of texts, replaced" in sheet
    assert "No find is left without" in sheet
